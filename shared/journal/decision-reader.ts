/**
 * Restores whole decisions from records that contain only what changed.
 *
 * decision-reader-1 A restored decision equals the recorded one to the byte. It is never a mixture of two histories.
 * decision-reader-2 A record whose base is missing (dropped, lost with the store) is reported as cut off. So are the
 *    records that stand on it, up to the next one that stands alone.
 */
import type { Json } from '#shared/domain/objects.ts';
import { applied } from './delta.ts';
import type { DecisionRecord, Journal, JournalEntry } from './journal.ts';
import { restoredPlan, type LatestOperations } from './stored-plan.ts';

export interface RestoredDecision extends Omit<DecisionRecord, 'snapshot' | 'plan'> {
  /** The snapshot that was decided on, redacted. */
  readonly snapshot: Json;
  /** The resulting plan, redacted. */
  readonly plan: Json;
}

export type ReadDecision =
  | { readonly kind: 'restored'; readonly position: string; readonly decision: RestoredDecision }
  | {
      readonly kind: 'cutOff';
      readonly position: string;
      readonly record: DecisionRecord;
      /** For people: why it cannot be replayed. */
      readonly why: string;
    };

interface State {
  readonly snapshot: Json;
  readonly latest: LatestOperations;
}

const nothing: State = { snapshot: null, latest: new Map() };

/** Histories of one object that may alternate: a process restarts, replicas take turns. */
const historiesPerObject = 4;

/** Reads the entries of one journal in their order, from any one on. Keeps a few states for each object. */
export class DecisionReader {
  /** By function and decided object: a record stands only on one of the same pair. */
  readonly #states = new Map<string, Map<string, State>>();

  read({ position, record }: JournalEntry<DecisionRecord>): ReadDecision {
    const states = this.#statesOf(record);
    const base = record.base === undefined ? nothing : states.get(record.base);
    if (base === undefined) return cutOff(position, record, 'is not in the journal any more');
    try {
      const snapshot = applied(base.snapshot, record.snapshot);
      const { plan, latest } = restoredPlan(
        { latest: base.latest, snapshot, uid: record.key.uid },
        record.plan,
      );
      remember(states, record.base, position, { snapshot, latest });
      return { kind: 'restored', position, decision: { ...record, snapshot, plan } };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return cutOff(position, record, `does not fit it: ${error.message}`);
    }
  }

  #statesOf({ function: name, key }: DecisionRecord): Map<string, State> {
    const owner = `${name} ${key.uid}`;
    const states = this.#states.get(owner) ?? new Map<string, State>();
    this.#states.set(owner, states);
    return states;
  }
}

/** Only one record stands on another, so a state is needed only until the next one. */
function remember(
  states: Map<string, State>,
  base: string | undefined,
  position: string,
  state: State,
): void {
  if (base !== undefined) states.delete(base);
  states.set(position, state);
  const [oldest] = states.keys();
  if (states.size > historiesPerObject && oldest !== undefined) states.delete(oldest);
}

const pageSize = 500;

/** All decisions of a journal, oldest first. Throws MR_QUEUE_UNAVAILABLE. */
export async function* readDecisions(journal: Pick<Journal, 'read'>): AsyncGenerator<ReadDecision> {
  const reader = new DecisionReader();
  for (let after: string | undefined; ;) {
    const entries = await journal.read(after, pageSize);
    for (const entry of entries) if (isDecision(entry)) yield reader.read(entry);
    after = entries.at(-1)?.position;
    if (after === undefined) return;
  }
}

function isDecision(entry: JournalEntry): entry is JournalEntry<DecisionRecord> {
  return entry.record.kind === 'decision';
}

function cutOff(position: string, record: DecisionRecord, problem: string): ReadDecision {
  const why = `not replayable from here: the record at ${record.base ?? ''} that it is based on ${problem}`;
  return { kind: 'cutOff', position, record, why };
}
