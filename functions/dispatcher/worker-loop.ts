/**
 * Takes the items of one function one after another and settles each.
 *
 * loop-1 A taken item is always settled, unless its lease is lost. A delivery that throws counts as failed.
 * loop-2 If the queue does not answer, the loop waits with a growing delay and continues.
 * loop-3 On stop no further item is taken. The current one is finished and settled.
 * loop-4 If a function is unreachable or rejects the sender, its items use no attempt, and its workers wait
 *    at most 2 s. So a restart of the function costs seconds, however long it lasts, and parks nothing.
 */
import { backoffMs, withJitter } from '#shared/domain/backoff.ts';
import { errorTable } from '#shared/domain/errors.ts';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import { underEither } from '#shared/domain/under-either.ts';
import type { Lease, WorkQueue } from '#shared/queue/work-queue.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import { keyText } from '#shared/runtime/function/log-fields.ts';
import type { Deliver, Delivery } from './deliver.ts';
import type { DispatcherMetrics } from './dispatcher-metrics.ts';
import { settle, type Settlement } from './settle.ts';

export interface WorkerOptions {
  readonly queue: WorkQueue;
  readonly deliver: Deliver;
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: DispatcherMetrics;
  /** Called after every settled item. */
  readonly onSettled: () => void;
  readonly reach: Reach;
}

/** Shared by all workers of one function. */
export interface Reach {
  /** Deliveries since the last one that the function received. */
  misses: number;
  /** The kind of the last miss, so that each kind is logged once. */
  kind?: 'unreachable' | 'refused' | undefined;
}

export interface WorkerSignals {
  /** Take nothing more. */
  readonly stop: AbortSignal;
  /** Give up what is under way. */
  readonly kill: AbortSignal;
}

const outageBackoff = { initialMs: 100, factor: 2, capMs: 5_000 };
const absenceBackoff = { initialMs: 100, factor: 2, capMs: 2_000 };

export async function workUntilStopped(
  functionName: string,
  options: WorkerOptions,
  { stop, kill }: WorkerSignals,
): Promise<void> {
  let outages = 0;
  while (!stop.aborted) {
    try {
      const lease = await options.queue.take(functionName, stop);
      // Stopped, or the queue was closed meanwhile.
      if (lease === undefined) return;
      outages = 0;
      await runLease(lease, options, kill);
      await whileAbsent(options, stop);
    } catch (error) {
      outages += 1;
      const delayMs = withJitter(backoffMs(outageBackoff, outages), options.random());
      options.logger.warn({ err: error, function: functionName, delayMs }, 'queue is unavailable');
      await options.clock.sleep(delayMs, stop);
    }
  }
}

async function whileAbsent(options: WorkerOptions, stop: AbortSignal): Promise<void> {
  const { clock, random, reach } = options;
  if (reach.misses === 0) return;
  await clock.sleep(withJitter(backoffMs(absenceBackoff, reach.misses), random()), stop);
}

/** Logs the first miss, and the first success after it. */
function noteReach(delivery: Delivery, functionName: string, options: WorkerOptions): void {
  const { logger, reach } = options;
  const fields = { function: functionName };
  if (delivery.kind === 'unreachable' || delivery.kind === 'refused') {
    reach.misses += 1;
    const { kind, detail } = delivery;
    if (reach.kind !== kind) logMiss(kind, { ...fields, detail }, logger);
    reach.kind = kind;
    return;
  }
  if (reach.misses > 0) logger.info({ ...fields, misses: reach.misses }, 'function answers again');
  reach.misses = 0;
  reach.kind = undefined;
}

function logMiss(kind: NonNullable<Reach['kind']>, fields: object, logger: Logger): void {
  if (kind === 'unreachable') logger.warn(fields, 'function is unreachable');
  else {
    const { next } = errorTable.MR_DELIVERY_UNAUTHENTICATED;
    logger.error({ ...fields, next }, 'function refuses the deliveries: its key or clock differs');
  }
}

async function runLease(lease: Lease, options: WorkerOptions, kill: AbortSignal): Promise<void> {
  const { metrics, random } = options;
  const { item, failures } = lease;
  const labels = { function: item.function };
  const end = metrics.seconds.startTimer(labels);
  metrics.running.inc(labels);
  const verdict = await underEither([lease.signal, kill], (signal) =>
    deliverSafely(lease, options, signal),
  );
  metrics.running.dec(labels);
  end();
  metrics.deliveries.inc({ ...labels, verdict: verdict.kind });
  noteReach(verdict, item.function, options);
  // Another worker runs the item by now, or will, and settles it.
  if (lease.signal.aborted) return;
  const settlement = settle(verdict, { failures, random: random() });
  report(lease, verdict, settlement, options);
  await apply(lease, settlement, options);
  options.onSettled();
}

async function deliverSafely(
  lease: Lease,
  { deliver, logger }: WorkerOptions,
  signal: AbortSignal,
): Promise<Delivery> {
  try {
    return await deliver(lease.item, signal);
  } catch (error) {
    logger.error({ err: error, function: lease.item.function }, 'delivery threw');
    return { kind: 'retry', detail: error instanceof Error ? error.message : String(error) };
  }
}

async function apply(lease: Lease, settlement: Settlement, options: WorkerOptions): Promise<void> {
  switch (settlement.kind) {
    case 'ack':
      return lease.ack();
    case 'again':
      return runAgain(lease, options);
    case 'later':
      return lease.later(settlement.afterMs, { failed: settlement.failed });
    case 'park':
      return lease.park(settlement.reason);
  }
}

/**
 * The item is added before its lease is acknowledged, so a crash in between costs one more run and never
 * the item (queue-2). If the add fails, the lease is put off: an unsettled lease is renewed for ever (loop-1).
 */
async function runAgain(lease: Lease, { queue }: WorkerOptions): Promise<void> {
  try {
    await queue.add([lease.item]);
  } catch (error) {
    await lease.later(0, { failed: false });
    throw error;
  }
  return lease.ack();
}

function report(
  { item, failures }: Lease,
  verdict: Delivery,
  settlement: Settlement,
  { logger, metrics }: WorkerOptions,
): void {
  const fields = {
    function: item.function,
    key: keyText(item.key),
    eventId: item.cause,
    verdict,
    failures,
  };
  if (settlement.kind === 'park') {
    metrics.parked.inc({ function: item.function });
    logger.error(fields, 'item was parked');
  } else if (verdict.kind === 'retry') logger.warn(fields, 'item failed and is tried again');
  else logger.debug(fields, 'item was delivered');
}
