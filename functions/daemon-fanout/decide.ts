/**
 * What happens next in one DaemonJob. Pure: the same snapshot and time give the same bytes.
 *
 * The status is the record of truth: where it ended on a machine, it stays over (the ledger). A Job that
 * exists is recognised by its owner and by the machine in its labels, whether or not the status knows of it
 * yet (law 2), so a pass that ended half way is simply decided again.
 */
import { hasTtlPassed, ttlDueMs } from './decide/ttl.ts';
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { isDeletable } from '#shared/domain/child-state.ts';
import type { Decide, Decision } from '#shared/domain/decision.ts';
import { holdUpDueMs } from '#shared/domain/hold-up.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import { parseTime } from '#shared/domain/time.ts';
import { suspensionPatches } from '#shared/parents/child-suspension.ts';
import { notAccepted } from '#shared/parents/acceptance.ts';
import { isEndingLate } from '#shared/parents/active-deadline.ts';
import { ttlPatches } from '#shared/parents/child-ttl.ts';
import { childDeletion } from '#shared/parents/child-writes.ts';
import { expired } from '#shared/parents/parent-ttl.ts';
import {
  afterTheEnd,
  type StandstillCause,
  standingStill,
  terminating,
} from '#shared/parents/standing.ts';
import type { DaemonSnapshot } from './snapshot.ts';
import { accept } from './decide/accept.ts';
import { withinAdmission } from './decide/admission.ts';
import { conclude } from './decide/conclude.ts';
import { familyOf } from './decide/family.ts';
import { runOf } from './run-of-job.ts';
import { inState, leavingReason, observeNodes, type NodeRecord } from './decide/nodes.ts';
import { holdOf, type Hold } from './decide/policies.ts';
import { applyRejections, invalidJob, refusalDueMs } from './decide/refusals.ts';
import {
  childSuspension,
  deadlineExceeded,
  deadlineMs,
  hasStarted,
  isFinished,
  isTerminating,
  openSituation,
  type Situation,
} from './decide/situation.ts';
import { orphanedJobs, type Starts, startNodes } from './decide/start.ts';
import { refusedStatus, runningStatus } from './decide/status.ts';
import { summaryOf } from './decide/summary.ts';

/**
 * What has not ended so long after the end is left over, and not only seen late, milliseconds: a watch that is
 * silent for 90 s is cut off (reflector-options.ts).
 */
const leftMs = 120_000;

export const decide: Decide<DaemonSnapshot> = (snapshot, input) => {
  const situation = openSituation(snapshot, input);
  if (isTerminating(situation)) return whileTerminating(situation);
  if (isFinished(situation) && !isAskedAnew(situation)) return afterwards(situation);
  const acceptance = accept(situation);
  switch (acceptance.kind) {
    case 'rejected':
      return refuse(situation, acceptance.reason, acceptance.message);
    case 'changed':
      return standStill(situation, acceptance);
    case 'accepted':
      return advance(situation);
  }
};

/** The heart of it: what became of the nodes, what that means, which of them start. */
function advance(situation: Situation): Decision {
  const invalid = invalidJob(situation);
  const observed = observeNodes(situation);
  const isFirst = !hasStarted(situation) && inState(observed, 'Active', 'Succeeded').length === 0;
  if (invalid !== undefined && isFirst) return refuse(situation, 'InvalidJob', invalid.message);
  const judged = applyRejections(situation, withinAdmission(situation, observed));
  const hold = holdOf(situation, judged);
  const starts = startNodes(situation, judged, hold);
  const { records } = starts;
  const removal = removals(situation, starts, hold);
  const summary = summaryOf(situation, records, hold);
  const status = runningStatus(situation, summary, records, removal);
  const { namespace, nowMs } = situation;
  const family = familyOf(situation);
  const removed = [...removal.jobs, ...removal.lost];
  return conclude(situation, {
    operations: [
      ...suspensionPatches(family, childSuspension(situation), removed),
      ...ttlPatches(family),
      ...removal.lost.map((job) => childDeletion(namespace, job, 'Background')),
      ...[...removal.jobs, ...starts.inTheWay]
        .filter((job) => !removal.untold.includes(job))
        .map((job) => childDeletion(namespace, job)),
    ],
    creates: starts.creates,
    status,
    isUrgent: removal.isRecordMissing,
    recordsRunning: inState(records, 'Active').some((record) => isNewlyRunning(situation, record)),
    dueMs: [
      ...inState(records, 'Active').map(({ job }) =>
        job === undefined ? undefined : holdUpDueMs(situation, job),
      ),
      ...(hold === undefined ? ownDueMs(situation, records) : []),
      timeRuns(status, hold) ? deadlineMs(situation) : undefined,
      earliest([...removal.doubtsMs, ...starts.doubtsMs]),
      removal.isRecordMissing || starts.isDeferred ? nowMs : undefined,
      ttlDueMs(situation, status),
    ],
  });
}

/** Until it ends, and not while it stands still: a failed node may keep others from starting, or there are none. */
function timeRuns({ state, completionTime }: DaemonJobStatus, hold: Hold | undefined): boolean {
  return state !== 'Suspended' && completionTime === undefined && hold?.removes !== 'all';
}

/** While it is held back nothing is created, and what ends that tells so itself. */
function ownDueMs(
  situation: Situation,
  records: readonly NodeRecord[],
): readonly (number | undefined)[] {
  return [
    refusalDueMs(situation, records),
    isDeferred(situation, records) ? situation.nowMs : undefined,
  ];
}

function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

interface Removals {
  /** Those that run where they should not any more. */
  readonly jobs: readonly ObservedJob[];
  /** Those whose machine is gone and that are not being deleted yet. */
  readonly lost: readonly ObservedJob[];
  /** Those that are to come on record first. */
  readonly untold: readonly ObservedJob[];
  readonly orphaned: readonly ObservedJob[];
  /** When it is certain that the machines of other Jobs are gone, unless they are seen. */
  readonly doubtsMs: readonly number[];
  readonly isRecordMissing: boolean;
}

/**
 * Jobs on machines that are gone or excluded, and, when it is to end early, those that run or are suspended. One that the
 * status does not know of is written down first: with it the only trace of its attempt would go, and a view
 * that shows the machine, or an exclusion that is lifted, would start it once more. So is one that has ended
 * and whose name another machine needs.
 */
function removals(
  situation: Situation,
  { records, inTheWay }: Starts,
  hold: Hold | undefined,
): Removals {
  const { orphaned, doubtsMs } = orphanedJobs(situation);
  const excluded = records
    .filter(({ state, reason }) => state === 'Excluded' || reason === leavingReason)
    .flatMap(({ job }) => job ?? []);
  const removes = hold?.removes ?? 'none';
  const running = inState(records, 'Active').filter(
    ({ job }) => removes === 'all' || (removes === 'suspended' && job?.suspend === true),
  );
  const known = running.filter(({ node }) => situation.recorded.get(node.key)?.state === 'Started');
  // That the time is up is on record first: a suspension in between would count what is gone as deleted by a user.
  const isTold =
    hold?.reason !== deadlineExceeded || isEndingLate(situation.status, deadlineExceeded);
  const cancelled = isTold ? known : [];
  const leaving = orphaned.filter(isDeletable);
  const going = new Set([...leaving, ...inTheWay, ...excluded.filter(isDeletable)]);
  const untold = [...going].filter((job) => !isOnRecord(situation, job, excluded.includes(job)));
  return {
    jobs: [...excluded, ...cancelled.flatMap(({ job }) => job ?? [])].filter(
      (job) => isDeletable(job) && !untold.includes(job),
    ),
    lost: leaving.filter((job) => !untold.includes(job)),
    untold,
    orphaned,
    doubtsMs,
    isRecordMissing: cancelled.length < running.length || untold.length > 0,
  };
}

/**
 * A replica that still sees its machine and no Job there does not start it again. Of an excluded node the exclusion has
 * to be on record: it may be lifted at any time, and then its Job, which is gone, would count as deleted by a user.
 */
function isOnRecord({ recorded }: Situation, job: ObservedJob, isExcluded: boolean): boolean {
  const { key, attempt } = runOf(job);
  const entry = recorded.get(key);
  if (entry === undefined) return false;
  if (entry.attempt !== attempt) return entry.attempt > attempt;
  return isExcluded ? entry.state === 'Retired' : entry.state !== 'Retrying';
}

/** Not on record as started yet, and nothing is said of it but that it runs. */
function isNewlyRunning({ recorded }: Situation, { node, job }: NodeRecord): boolean {
  if (job === undefined || recorded.get(node.key)?.state === 'Started') return false;
  const { startTime, suspend, deletionTimestamp, conditions } = job;
  const isSettled = conditions.some(({ status }) => status === 'True');
  return startTime !== undefined && !suspend && deletionTimestamp === undefined && !isSettled;
}

/** Refused was only some of what may be created, and nothing says when to try the rest. */
function isDeferred(situation: Situation, records: readonly NodeRecord[]): boolean {
  if (situation.rejections.size === 0) return false;
  const waits = inState(records, 'Waiting').some(({ isBlocked }) => isBlocked !== true);
  return waits && refusalDueMs(situation, records) === undefined;
}

/**
 * The end is on record: only what was to be removed afterwards is left to do. A Job that has not ended by
 * then is of a machine that is gone, or came after nobody waited for it any more: the run that wrote the end
 * did not see it, and nothing else would ever end it.
 */
function afterwards(situation: Situation): Decision {
  const { status, nowMs, daemonJob, namespace, snapshot, retry } = situation;
  // A retry that is refused is answered first.
  if (hasTtlPassed(situation) && retry.refusal === undefined) {
    return expired(daemonJob, resources.DaemonJob, 'DaemonJob', nowMs);
  }
  const left = snapshot.jobs.filter(isDeletable);
  const dueMs = left.length === 0 ? undefined : endRecordedMs(situation) + leftMs;
  const isDue = dueMs !== undefined && dueMs <= nowMs;
  return conclude(situation, {
    operations: [
      ...(isDue ? left.map((job) => childDeletion(namespace, job, 'Background')) : []),
      ...ttlPatches(familyOf(situation)),
    ],
    creates: [],
    status: afterTheEnd(daemonJob, retry, nowMs),
    dueMs: [ttlDueMs(situation, status), isDue ? undefined : dueMs],
  });
}

/** Never before the end itself: the completion time comes from another clock, which may be far behind. */
function endRecordedMs({ status, nowMs }: Situation): number {
  const endMs = parseTime(status.completionTime) ?? nowMs;
  return Math.max(endMs, parseTime(status.lastUpdateTime) ?? endMs);
}

function whileTerminating(situation: Situation): Decision {
  const status = terminating(situation.status);
  return conclude(situation, { operations: [], creates: [], status, dueMs: [] });
}

/** Stored although it cannot be run. It may be corrected, since nothing was started. */
function refuse(situation: Situation, reason: string, message: string): Decision {
  const status = refusedStatus(situation, notAccepted(reason, message), { reason, message });
  const dueMs = [ttlDueMs(situation, status)];
  return conclude(situation, { operations: [], creates: [], status, dueMs });
}

/** Suspending still works, since it concerns Jobs and not what is in them. A retry that is asked for waits. */
function standStill(situation: Situation, why: StandstillCause): Decision {
  const family = familyOf(situation);
  return conclude(situation, {
    operations: [...suspensionPatches(family, childSuspension(situation)), ...ttlPatches(family)],
    creates: [],
    status: standingStill(situation.daemonJob, why, situation.nowMs),
    dueMs: [],
  });
}

/** A failed one goes on when somebody asks for it, also when no failed node is left. */
function isAskedAnew({ status, retry }: Situation): boolean {
  return retry.isNew && status.state === 'Failed';
}
