import type { MonotonicClock } from '#shared/domain/clock.ts';
import type { Decision, DecisionInput } from '#shared/domain/decision.ts';
import type { Json } from '#shared/domain/objects.ts';
import { isEmptyPlan } from '#shared/domain/plan.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { journalFormat, type DecisionRecord, type Journal } from '#shared/journal/journal.ts';
import type { EventFunction } from './event-function.ts';
import { createContentStore } from './journal-snapshot.ts';
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

export interface RecorderOptions<Snapshot> {
  readonly fn: EventFunction<Snapshot>;
  readonly journal: Journal;
  /** By which stored contents are taken for stored. */
  readonly clock: MonotonicClock;
  readonly version: string;
}

/** Requeue times remembered, one per object decided lately. */
const rememberedRequeues = 10_000;

/**
 * Appends decisions that write something or change the requeue time; the others would only repeat
 * that nothing was to be done. Throws MR_QUEUE_UNAVAILABLE.
 */
export function createDecisionRecorder<Snapshot>(
  options: RecorderOptions<Snapshot>,
): (run: DecisionRun<Snapshot>) => Promise<void> {
  const contents = createContentStore(options.journal);
  const requeues = new Recent<number>(rememberedRequeues);
  return async (run) => {
    const { uid } = run.item.key;
    const { plan, requeueAtMs } = run.decision;
    if (isEmptyPlan(plan) && requeues.get(uid) === requeueAtMs) return;
    const record = recordOf(options, run);
    const monotonicMs = options.clock.monotonicMs();
    const snapshot = await contents.extract(record.snapshot, monotonicMs);
    const recordedPlan = await contents.extract(record.plan, monotonicMs);
    await options.journal.append([{ ...record, snapshot, plan: recordedPlan }]);
    if (requeueAtMs === undefined) requeues.delete(uid);
    else requeues.set(uid, requeueAtMs);
  };
}

function recordOf<Snapshot>(
  { fn, version }: RecorderOptions<Snapshot>,
  { item, snapshot, input, decision, outcome, durationMs }: DecisionRun<Snapshot>,
): DecisionRecord {
  const redacted = fn.redact(snapshot);
  return {
    kind: 'decision',
    format: journalFormat,
    cause: item.cause,
    function: fn.name,
    version,
    key: item.key,
    nowMs: input.nowMs,
    gates: input.gates,
    snapshot: asJson(redacted),
    // redact(decide(s)) = decide(redact(s)): deciding again is how the plan loses its values.
    plan: asJson(fn.decide(redacted, input).plan),
    reasons: decision.reasons,
    ...(decision.requeueAtMs === undefined ? {} : { requeueAtMs: decision.requeueAtMs }),
    outcome,
    durationMs,
  };
}

/** Snapshots and plans are plain data by law 4; the type system cannot say so of a type parameter. */
function asJson(value: unknown): Json {
  return value as Json;
}
