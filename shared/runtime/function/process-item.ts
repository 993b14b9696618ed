/**
 * One run of one work item: observe, decide, apply, record.
 *
 * pass-1 A function that throws never loses its item: every error becomes a verdict.
 * pass-2 A conflict means that the observed state is old. The item is observed and decided again at once, three
 *    times at most, then later.
 * pass-3 A refused write is passed to the function, which decides once more, and again if a later stage is refused
 *    then, three times at most. If the same write is refused again, the item is retried with a growing delay. A
 *    stored object that lost fields is passed on in the same way, after the plan. Only creates can lose fields, so
 *    this ends. Before a create, three checks have the same effect: the submitter is known (trust.ts), has the right
 *    (submitter-permissions.ts), and the policy on Pods allows it (policy-refusals.ts).
 * pass-4 If a create finds its object existing, the decision did not know it and is made again. This happens at
 *    once if the pass recorded its work, and after a second if a view has to catch up. If a write finds its object
 *    gone, a decision that is due at once waits for the view as well: it would be the same again and again.
 * pass-5 The record of a decision is appended after its writes, with their outcome. A journal that does not answer
 *    is logged and counted, and never undoes or repeats work.
 * pass-6 If an answer set the clock back during the run, the time is earlier than assumed, and may be earlier
 *    still. What is not due yet is looked at again after half a second at the soonest.
 * pass-7 Two runs of one item follow one another. If a queue takes its first worker for dead, both may be running,
 *    and neither would see what the other creates.
 * pass-8 An object that took long to decide waits before it is settled. Its next decision comes after others had
 *    the process for four times as long. So one object costs its neighbours at most a fifth of a process.
 * pass-9 A run that fails is reported by an Event on its object, for every function and every read or write: at once
 *    if the item is parked, else once the failure has lasted. The log alone would reach no user.
 * pass-10 A decision may rest for good on all objects of a resource. Then these are listed by the API server, and the
 *    decision is made again.
 */
import type { Resource, Uid } from '#shared/domain/objects.ts';
import type { Decision } from '#shared/domain/decision.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { Verdict } from '#shared/domain/verdict.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { shortened } from '#shared/domain/wording.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { applyPlan } from '#shared/kube/apply-plan.ts';
import { CreatedTraces } from './created-traces.ts';
import { createDecisionRecorder } from './decision-recorder.ts';
import {
  count,
  decideOnce,
  type ItemProcessorOptions,
  nothingSaid,
  type Round,
  type Run,
} from './decision-round.ts';
import {
  cannotGoOn,
  FailingObjects,
  type Trouble,
  troubleOf,
  troubleOfRefusals,
} from './failing-objects.ts';
import { keyText } from './log-fields.ts';
import { SubmitterPermissions } from './submitter-permissions.ts';
import { Turns } from './turns.ts';
import { verdictOfError } from './verdict-of-error.ts';

export type { ItemProcessorOptions };

/** Never rejects. An aborted `signal` stops it before the next write, because another run will follow. */
export type ProcessItem = (item: WorkItem, signal?: AbortSignal) => Promise<Verdict>;

type Applied = Extract<Round, { readonly hasAdopted: boolean }>;

/** Characters; events.k8s.io/v1 refuses a note of 1 kB. */
const longestNote = 900;
/** From this number of passes at once the process counts as loaded. */
const manyUnderWay = 4;
const maxConflicts = 3;
const maxRefusals = 3;
/** pass-8. Milliseconds, except the factor. */
const givingWay = { beyondMs: 10, factor: 4, atMostMs: 500 };
const neverAborted = new AbortController().signal;

export function createItemProcessor<Snapshot>(
  options: ItemProcessorOptions<Snapshot>,
): ProcessItem {
  const record = recorderOf(options);
  const permissions = new SubmitterPermissions(options);
  const turns = new Turns();
  const created = new CreatedTraces(options.clock);
  const failing = new FailingObjects(options.clock);
  let underWay = 0;
  const isUnderLoad = (): boolean => underWay >= manyUnderWay;
  return async (item, signal = neverAborted) => {
    const logger = options.logger.child({
      function: options.fn.subscription.name,
      key: keyText(item.key),
      eventId: item.cause,
    });
    const run: Run<Snapshot> = {
      ...{ ...options, item, signal, logger, record, permissions, created },
      spent: { decidingMs: 0 },
      isUnderLoad,
    };
    const beganAheadMs = aheadMs(run);
    underWay += 1;
    try {
      const settled = await turns.take(keyText(item.key), () => settle(run));
      await reportTrouble(run, settled, failing);
      return notTooSoon(settled.verdict, beganAheadMs - aheadMs(run));
    } finally {
      underWay -= 1;
      await giveWay(run);
    }
  };
}

/** pass-8 */
async function giveWay<Snapshot>({ spent, clock, signal }: Run<Snapshot>): Promise<void> {
  const { beyondMs, factor, atMostMs } = givingWay;
  if (spent.decidingMs <= beyondMs) return;
  await clock.sleep(Math.min(factor * spent.decidingMs, atMostMs), signal);
}

interface Settled {
  readonly verdict: Verdict;
  /** Present if the run failed. */
  readonly trouble?: Trouble | undefined;
}

/** Errors stop here and are logged once. */
async function settle<Snapshot>(run: Run<Snapshot>): Promise<Settled> {
  try {
    return await decideUntilSettled(run);
  } catch (error) {
    count(run, 'failed');
    const verdict = verdictOfError(error);
    run.logger[verdict.kind === 'later' ? 'info' : 'warn']({ err: error, verdict }, 'item failed');
    return { verdict, trouble: troubleOf(error) };
  }
}

/** pass-9 */
async function reportTrouble<Snapshot>(
  run: Run<Snapshot>,
  { verdict, trouble }: Settled,
  failing: FailingObjects,
): Promise<void> {
  const { fn, item, client, clock, instance, signal, logger } = run;
  const { apiVersion, kind, namespace, name, uid } = item.key;
  if (trouble === undefined) {
    if (verdict.kind !== 'later') failing.succeed(uid);
    return;
  }
  const { name: by } = fn.subscription;
  const { cause, words } = trouble;
  if (!failing.fail(uid, cause, verdict.kind === 'parked')) return;
  const event: EmitEventOperation = {
    kind: 'emitEvent',
    regarding: { apiVersion, kind, namespace, name, uid },
    ...{ type: 'Warning', reason: cannotGoOn, action: 'Decide' },
    note: shortened(`${by} cannot go on with it: ${words}`, longestNote),
    occurrence: `${by} ${cause}`,
  };
  const fieldManager = `millrace.dev/${by}`;
  const { notes } = await applyPlan([[event]], { client, clock, instance, fieldManager, signal });
  if (notes.length > 0) logger.warn({ notes }, 'an Event was not written');
}

async function decideUntilSettled<Snapshot>(run: Run<Snapshot>): Promise<Settled> {
  let said = nothingSaid;
  let now: Resource | undefined;
  for (let conflicts = 0, refusals = 0; ;) {
    const reader = conflicts === 0 ? run.reader : (run.freshReader ?? run.reader);
    const round = await decideOnce({ ...run, now }, reader, said);
    switch (round.kind) {
      case 'gone':
        return { verdict: { kind: 'done' } };
      case 'aborted':
        return { verdict: { kind: 'later', detail: 'the run was called off' } };
      case 'again':
        ({ now } = round);
        break;
      case 'unchanged':
      case 'applied':
        if (round.said.warnings.length === 0)
          return { verdict: verdictOf(round, run.item.key.uid, run.clock.now()) };
        said = { ...round.said, rejections: said.rejections };
        break;
      case 'rejected': {
        const { rejections, warnings } = round.said;
        const known = new Set(said.rejections.map(writeOf));
        refusals += 1;
        if (refusals > maxRefusals || rejections.some((each) => known.has(writeOf(each)))) {
          return refusedAgain(rejections);
        }
        said = { rejections: [...said.rejections, ...rejections], warnings };
        break;
      }
      case 'conflict':
        conflicts += 1;
        if (conflicts > maxConflicts) return { verdict: { kind: 'later', detail: round.detail } };
    }
  }
}

/** Time for a view to show that an object exists or is gone, in milliseconds. */
const catchingUpMs = 1_000;

function verdictOf({ decision, hasAdopted, hasMissed }: Applied, uid: Uid, nowMs: number): Verdict {
  const dueMs = decision.requeueAtMs ?? Infinity;
  const againMs = hasAdopted ? nowMs + (writesStatus(decision, uid) ? 0 : catchingUpMs) : Infinity;
  const requeueAtMs = Math.min(dueMs, againMs);
  if (requeueAtMs === Infinity) return { kind: 'done' };
  return { kind: 'requeue', afterMs: Math.max(requeueAtMs - nowMs, hasMissed ? catchingUpMs : 0) };
}

/** Rounding of the cluster's time (cluster-clock.ts), in milliseconds. */
const roundingMs = 1;
/** Half of the second that an answer's time is rounded to, in milliseconds. */
const setBackAgainMs = 500;

/** Lead of the clock over the monotonic one, which is never set. */
function aheadMs<Snapshot>({ clock }: Run<Snapshot>): number {
  return clock.now() - clock.monotonicMs();
}

/** pass-6 */
function notTooSoon(verdict: Verdict, setBackMs: number): Verdict {
  const isDue = verdict.kind !== 'requeue' || verdict.afterMs === 0;
  if (isDue || setBackMs <= roundingMs) return verdict;
  return { ...verdict, afterMs: Math.max(verdict.afterMs, setBackAgainMs) };
}

/** For the object with this uid. */
function writesStatus({ plan }: Decision, uid: Uid): boolean {
  return plan.flat().some((operation) => operation.kind === 'patchStatus' && operation.uid === uid);
}

function writeOf({ uid, name }: Rejection): string {
  return uid ?? name;
}

function refusedAgain(rejections: readonly Rejection[]): Settled {
  const detail = rejections.map(({ code, name, message }) => `${code} ${name}: ${message}`);
  const verdict = { kind: 'retry', detail: `refused again: ${detail.join('; ')}` } as const;
  return { verdict, trouble: troubleOfRefusals(rejections) };
}

function recorderOf<Snapshot>(options: ItemProcessorOptions<Snapshot>): Run<Snapshot>['record'] {
  const { fn, journal, version } = options;
  if (journal === undefined) return () => Promise.resolve();
  return createDecisionRecorder({ fn: fn.subscription, journal, version });
}
