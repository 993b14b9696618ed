/**
 * Records decisions, each as the difference from the one before about the same object.
 *
 * R1 A record stands on another only when this process knows that the journal took that one: after an
 *    append that failed, and for the second of two at once, the next one stands for itself.
 * R2 No environment value is recorded (redact.ts).
 */
import type { Decision, DecisionInput } from '#shared/domain/decision.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { isEmptyPlan } from '#shared/domain/plan.ts';
import { isRedactedAsWhole, redactMember } from '#shared/domain/redact.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { asObject, difference, mapDelta, type Delta } from '#shared/journal/delta.ts';
import { journalFormat, type DecisionRecord, type Journal } from '#shared/journal/journal.ts';
import { storedPlan } from '#shared/journal/stored-plan.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { DecisionMemory, isWornOut, type RememberedDecision } from './decision-memory.ts';
import { Recent } from './recent.ts';

/** One decision as it came about. */
export interface DecisionRun<Snapshot> {
  readonly item: WorkItem;
  readonly snapshot: Snapshot;
  readonly input: DecisionInput;
  readonly decision: Decision;
  /** What became of it: `applied`, `rejected`, `conflict` or the code of an error. */
  readonly outcome: string;
  readonly durationMs: DecisionRecord['durationMs'];
}

export interface RecorderOptions {
  readonly fn: Pick<Subscription, 'name'>;
  readonly journal: Pick<Journal, 'append'>;
  readonly version: string;
}

/** Requeue times remembered, one per object decided lately. */
const rememberedRequeues = 10_000;

/**
 * Appends decisions that write something or change the requeue time; the others would only repeat
 * that nothing was to be done. Throws MR_QUEUE_UNAVAILABLE.
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
    const { plan, requeueAtMs } = run.decision;
    if (isEmptyPlan(plan) && requeues.get(uid) === requeueAtMs) return;
    const known = memory.take(uid);
    const base = known === undefined || isWornOut(known, oldest) ? undefined : known;
    const told = tellDecision(run, base);
    const record = { ...headOf(run), function: fn.name, version, ...told.record };
    const { position, bytes, ...appended } = await journal.append([record]);
    oldest = appended.oldest;
    if (position !== undefined) {
      memory.put(uid, remembered(told, { position, bytes, oldest: oldest ?? position }, base));
    }
    if (requeueAtMs === undefined) requeues.delete(uid);
    else requeues.set(uid, requeueAtMs);
  };
}

interface Told extends Pick<RememberedDecision, 'snapshot' | 'latest'> {
  readonly record: Pick<DecisionRecord, 'base' | 'snapshot' | 'plan'>;
}

/** The difference is found between what was seen, and redacted then: both come to the same. */
function tellDecision<Snapshot>(
  { item, snapshot: seen, decision }: DecisionRun<Snapshot>,
  base: RememberedDecision | undefined,
): Told {
  // Plain data by law 4; the type system cannot say so of a type parameter.
  const snapshot = withKnownSpecs(base?.snapshot, seen as Json);
  const { plan, latest } = storedPlan(
    { latest: base?.latest ?? new Map(), snapshot, uid: item.key.uid },
    decision.plan,
  );
  const delta: Delta = difference(base?.snapshot ?? null, snapshot, isRedactedAsWhole) ?? {};
  return {
    snapshot,
    latest,
    record: {
      ...(base === undefined ? {} : { base: base.position }),
      snapshot: mapDelta(delta, redactMember),
      plan,
    },
  };
}

/**
 * The snapshot with the very specs of the one before where the API server says that they did not
 * change: every change of a spec is another generation. They need not be compared then.
 */
function withKnownSpecs(before: Json | undefined, snapshot: Json): Json {
  const members = Object.entries(asObject(before)).flatMap(([name, known]) => {
    const [was, is] = [asObject(known), asObject(asObject(snapshot)[name])];
    if (!isSameGeneration(was['metadata'], is['metadata'])) return [];
    return [[name, { ...is, spec: was['spec'] }]];
  });
  if (members.length === 0) return snapshot;
  return { ...asObject(snapshot), ...(Object.fromEntries(members) as JsonObject) };
}

function isSameGeneration(left: Json | undefined, right: Json | undefined): boolean {
  const [was, is] = [asObject(left), asObject(right)];
  const { uid, generation } = was;
  if (uid === undefined || generation === undefined) return false;
  return uid === is['uid'] && generation === is['generation'];
}

function remembered(
  { snapshot, latest }: Told,
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

function headOf<Snapshot>({
  item,
  input,
  decision,
  outcome,
  durationMs,
}: DecisionRun<Snapshot>): Omit<DecisionRecord, 'function' | 'version' | 'snapshot' | 'plan'> {
  return {
    kind: 'decision',
    format: journalFormat,
    cause: item.cause,
    key: item.key,
    nowMs: input.nowMs,
    gates: input.gates,
    reasons: decision.reasons,
    ...(decision.requeueAtMs === undefined ? {} : { requeueAtMs: decision.requeueAtMs }),
    outcome,
    durationMs,
  };
}
