/**
 * Records decisions, each as the difference from the one before about the same object.
 *
 * decision-recorder-1 A record stands on another only if this process knows that the journal stored
 *    that one. After a failed append, and for the second of two at once, the next record stands
 *    alone.
 * decision-recorder-2 No environment value is recorded (redact.ts).
 */
import type { Decision, DecisionInput } from '#shared/domain/decision.ts';
import type { Json } from '#shared/domain/objects.ts';
import { isEmptyPlan } from '#shared/domain/plan.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { difference, type Delta } from '#shared/journal/delta.ts';
import { journalFormat, type DecisionRecord, type Journal } from '#shared/journal/journal.ts';
import { redacting, storedPlan } from '#shared/journal/stored-plan.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { DecisionMemory, isWornOut, type RememberedDecision } from './decision-memory.ts';
import { Recent } from '#shared/domain/recent.ts';

/** One decision with its input and outcome. */
export interface DecisionRun<Snapshot> extends Pick<
  DecisionRecord,
  'outcome' | 'detail' | 'durationMs'
> {
  readonly item: WorkItem;
  readonly snapshot: Snapshot;
  readonly input: DecisionInput;
  readonly decision: Decision;
}

export interface RecorderOptions {
  readonly fn: Pick<Subscription, 'name'>;
  readonly journal: Pick<Journal, 'append'>;
  readonly version: string;
}

/** Requeue times remembered, one for each recently decided object. */
const rememberedRequeues = 10_000;

/**
 * Appends decisions that write something or change the requeue time. Others would only repeat that
 * nothing was to be done. Throws MR_QUEUE_UNAVAILABLE.
 */
export function createDecisionRecorder<Snapshot>({
  fn,
  journal,
  version,
}: RecorderOptions): (run: DecisionRun<Snapshot>) => Promise<void> {
  const requeues = new Recent<number>(rememberedRequeues);
  const memory = new DecisionMemory();
  let oldest: string | undefined;
  return async (run) => {
    const { uid } = run.item.key;
    const { plan, ...said } = run.decision;
    const { requeueAtMs } = said;
    if (isEmptyPlan(plan) && requeues.get(uid) === requeueAtMs) return;
    const known = memory.take(uid);
    const base = known === undefined || isWornOut(known, oldest) ? undefined : known;
    const stored = storedDecision(run, base);
    const record = { ...headOf(run, said), function: fn.name, version, ...stored.record };
    const { position, bytes, ...appended } = await journal.append([record]);
    oldest = appended.oldest;
    if (position !== undefined) {
      memory.put(uid, remembered(stored, { position, bytes, oldest: oldest ?? position }, base));
    }
    if (requeueAtMs === undefined) requeues.delete(uid);
    else requeues.set(uid, requeueAtMs);
  };
}

interface StoredDecision extends Pick<RememberedDecision, 'snapshot' | 'latest'> {
  readonly record: Pick<DecisionRecord, 'base' | 'snapshot' | 'plan'>;
}

/**
 * The difference is computed before redaction and redacted afterwards. The result is the same as in
 * the other order.
 */
function storedDecision<Snapshot>(
  { item, snapshot: seen, decision }: DecisionRun<Snapshot>,
  base: RememberedDecision | undefined,
): StoredDecision {
  // Plain data by law 4, which a type parameter cannot express.
  const snapshot = seen as Json;
  const { plan, latest } = storedPlan(
    { latest: base?.latest ?? new Map(), snapshot, uid: item.key.uid },
    decision.plan,
  );
  const delta: Delta = difference(base?.snapshot ?? null, snapshot, redacting) ?? {};
  return {
    snapshot,
    latest,
    record: {
      ...(base === undefined ? {} : { base: base.position }),
      snapshot: delta,
      plan,
    },
  };
}

function remembered(
  { snapshot, latest }: StoredDecision,
  appended: RememberedDecision['whole'],
  base: RememberedDecision | undefined,
): RememberedDecision {
  const { position, bytes } = appended;
  return {
    ...{ position, snapshot, latest },
    whole: base?.whole ?? appended,
    bytesSince: base === undefined ? 0 : base.bytesSince + bytes,
  };
}

function headOf<Snapshot>(
  { item, input, outcome, detail, durationMs }: DecisionRun<Snapshot>,
  said: Omit<Decision, 'plan'>,
): Omit<DecisionRecord, 'function' | 'version' | 'snapshot' | 'plan'> {
  const { cause, key } = item;
  return {
    ...{ kind: 'decision', format: journalFormat, cause, key, ...input },
    ...said,
    ...{ outcome, ...(detail === undefined ? {} : { detail }), durationMs },
  };
}
