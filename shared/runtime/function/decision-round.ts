/** One round of observing, deciding and applying; `process-item.ts` says what follows from it. */
import type { Clock, MonotonicClock } from '#shared/domain/clock.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { errorClassOf } from '#shared/domain/errors.ts';
import { isEmptyPlan } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { DecisionRecord, Journal } from '#shared/journal/journal.ts';
import { applyPlan, type WrittenObject } from '#shared/kube/apply-plan.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { DecisionRun } from './decision-recorder.ts';
import { describeDecision } from './log-fields.ts';
import type { EventFunction } from './event-function.ts';
import type { DecisionOutcome, FunctionMetrics } from './function-metrics.ts';
import { stampCause } from './stamp-cause.ts';
import type { Logger } from '../process/telemetry.ts';
import { cannotBeUndone, isCurrent, NotingReader, currentForMs } from './view-check.ts';

export interface ItemProcessorOptions<Snapshot> {
  readonly fn: EventFunction<Snapshot>;
  readonly client: KubeClient;
  readonly reader: Reader;
  /**
   * Asked after a conflict, which tells that `reader` was behind, and before something is created or
   * removed (see view-check.ts). Absent: `reader` is never behind.
   */
  readonly freshReader?: Reader;
  /** Absent: decisions are not recorded. */
  readonly journal?: Journal;
  readonly clock: Clock & MonotonicClock;
  /** Feature gates by name; a missing one is off. */
  readonly gates: Readonly<Record<string, boolean>>;
  readonly logger: Logger;
  readonly metrics: FunctionMetrics;
  /** Of the pod or host: reportingInstance of the Events. */
  readonly instance: string;
  /** Of the bundle; recorded with every decision. */
  readonly version: string;
}

export interface Run<Snapshot> extends ItemProcessorOptions<Snapshot> {
  readonly item: WorkItem;
  readonly signal: AbortSignal;
  readonly record: (run: DecisionRun<Snapshot>) => Promise<void>;
}

/** What the API server said to the creates of this run, besides that it did them. */
export interface Said {
  readonly rejections: readonly Rejection[];
  readonly warnings: readonly WriteWarning[];
}

export const nothingSaid: Said = { rejections: [], warnings: [] };

export type Round =
  | { readonly kind: 'gone' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'settled'; readonly decision: Decision; readonly said: Said }
  | { readonly kind: 'rejected'; readonly said: Said }
  | { readonly kind: 'conflict'; readonly detail: string };

/** Throws what observing, deciding or applying threw, unless that is a conflict. */
export async function decideOnce<Snapshot>(
  run: Run<Snapshot>,
  reader: Reader,
  said: Said,
): Promise<Round> {
  const startedMs = performance.now();
  const noted = new NotingReader(reader, run.fn.subscription.decides, run.item.key, run.clock);
  const observed = await observe(run, noted);
  if ('kind' in observed) return observed;
  const observedMs = performance.now();
  const { fn, item } = run;
  const snapshot = withSaid(fn, observed.snapshot, said);
  const input = { nowMs: run.clock.now(), gates: run.gates };
  const decision = fn.decide(snapshot, input);
  const decidedMs = performance.now();
  if (cannotBeUndone(decision.plan) && !(await isUpToDate(run, reader, noted))) {
    return conflict(run, 'the view is behind');
  }
  if (run.signal.aborted) return { kind: 'aborted' };
  const applied = await apply(run, decision);
  const durationMs = {
    observe: rounded(observedMs - startedMs),
    decide: rounded(decidedMs - observedMs),
    apply: rounded(performance.now() - decidedMs),
  };
  measure(run, durationMs);
  const { outcome } = applied;
  await recordQuietly(run, { item, snapshot, input, decision, outcome, durationMs });
  if ('error' in applied) throw applied.error;
  return applied.round;
}

function withSaid<Snapshot>(
  fn: EventFunction<Snapshot>,
  snapshot: Snapshot,
  { rejections, warnings }: Said,
): Snapshot {
  const refused = rejections.length === 0 ? snapshot : fn.withRejections(snapshot, rejections);
  return warnings.length === 0 ? refused : fn.withWarnings(refused, warnings);
}

async function observe<Snapshot>(
  run: Run<Snapshot>,
  reader: Reader,
): Promise<{ readonly snapshot: Snapshot } | Round> {
  try {
    const snapshot = await run.fn.observe(run.item.key, reader);
    if (snapshot !== undefined) return { snapshot };
    count(run, 'gone');
    run.logger.debug('object is gone');
    return { kind: 'gone' };
  } catch (error) {
    if (errorClassOf(error) === 'conflict') return conflict(run, error);
    throw error;
  }
}

/**
 * What the API server itself gave just now needs no second look. Where the rest of the reads took long,
 * or the process stood still, another replica may have gone on in the meantime.
 */
async function isUpToDate<Snapshot>(
  { fn, item, clock, reader: usual, freshReader = usual }: Run<Snapshot>,
  reader: Reader,
  { version, askedAtMs }: NotingReader,
): Promise<boolean> {
  if (freshReader === reader && clock.monotonicMs() - askedAtMs <= currentForMs) return true;
  return isCurrent(version, freshReader, fn.subscription.decides, item.key);
}

type Applied =
  | { readonly outcome: string; readonly round: Round }
  /** Recorded before it goes on: some of the plan may have been written. */
  | { readonly outcome: string; readonly error: unknown };

async function apply<Snapshot>(run: Run<Snapshot>, decision: Decision): Promise<Applied> {
  if (isEmptyPlan(decision.plan)) {
    count(run, 'unchanged');
    run.logger.debug(describeDecision(decision), 'nothing to write');
    return { outcome: 'unchanged', round: { kind: 'settled', decision, said: nothingSaid } };
  }
  try {
    return await write(run, decision);
  } catch (error) {
    return { outcome: error instanceof Error ? error.message : String(error), error };
  }
}

async function write<Snapshot>(run: Run<Snapshot>, decision: Decision): Promise<Applied> {
  const { client, clock, fn, instance, item, logger } = run;
  const fieldManager = `millrace.dev/${fn.subscription.name}`;
  const context = { client, clock, instance, fieldManager, signal: run.signal };
  const outcome = await applyPlan(stampCause(decision.plan, item.cause), context);
  const { notes, warnings } = outcome;
  if (notes.length > 0) logger.warn({ notes }, 'an Event was not written');
  if (warnings.length > 0) logger.warn({ warnings }, 'something of what was created is lost');
  switch (outcome.kind) {
    case 'applied':
      count(run, 'applied');
      countWrites(run, outcome.writes);
      logger.info(describeDecision(decision), 'plan applied');
      return {
        outcome: 'applied',
        round: { kind: 'settled', decision, said: { rejections: [], warnings } },
      };
    case 'rejected':
      count(run, 'rejected');
      countWrites(run, outcome.writes);
      logger.warn({ rejections: outcome.rejections }, 'a write was refused');
      return { outcome: 'rejected', round: { kind: 'rejected', said: outcome } };
    case 'conflict':
      countWrites(run, outcome.writes);
      return { outcome: 'conflict', round: conflict(run, outcome.detail) };
    case 'aborted':
      count(run, 'aborted');
      countWrites(run, outcome.writes);
      logger.info(describeDecision(decision), 'called off in the middle of a plan');
      return { outcome: 'aborted', round: { kind: 'aborted' } };
  }
}

function conflict<Snapshot>(run: Run<Snapshot>, cause: unknown): Round {
  count(run, 'conflict');
  const detail = cause instanceof Error ? cause.message : String(cause);
  run.logger.debug({ detail }, 'observed state was old');
  return { kind: 'conflict', detail };
}

async function recordQuietly<Snapshot>(
  run: Run<Snapshot>,
  decided: DecisionRun<Snapshot>,
): Promise<void> {
  try {
    await run.record(decided);
  } catch (error) {
    run.metrics.journalFailures.inc({ function: run.fn.subscription.name });
    run.logger.warn({ err: error }, 'decision was not recorded');
  }
}

export function count<Snapshot>(run: Run<Snapshot>, outcome: DecisionOutcome): void {
  run.metrics.decisions.inc({ function: run.fn.subscription.name, outcome });
}

function countWrites<Snapshot>(run: Run<Snapshot>, writes: readonly WrittenObject[]): void {
  for (const { done, resource } of writes) {
    run.metrics.writes.inc({ function: run.fn.subscription.name, done, resource: resource.kind });
  }
}

function measure<Snapshot>(run: Run<Snapshot>, durationMs: DecisionRecord['durationMs']): void {
  for (const [step, ms] of Object.entries(durationMs)) {
    run.metrics.steps.observe({ function: run.fn.subscription.name, step }, ms / 1000);
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
