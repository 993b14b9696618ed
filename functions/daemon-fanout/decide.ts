/**
 * Decides the next step of one DaemonJob. Pure: the same snapshot and time give the same bytes.
 *
 * The status is the record of truth: on a machine where it ended, it stays over (the ledger). A Job is
 * recognised by its owner and by the machine in its labels, even if the status does not record it yet
 * (law 2). So a pass that ended half way is simply decided again.
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
 * A Job that has not ended this long after the end of the DaemonJob is left over, not merely seen late,
 * milliseconds. A silent watch is cut off after 90 s (reflector-options.ts).
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

/** Finds what became of the nodes, what follows for the others, and which nodes start. */
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
        .filter((job) => !removal.unrecorded.includes(job))
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

/** The deadline counts until the end. It does not count while a suspension or the end of all Jobs is under way. */
function timeRuns({ state, completionTime }: DaemonJobStatus, hold: Hold | undefined): boolean {
  return state !== 'Suspended' && completionTime === undefined && hold?.removes !== 'all';
}

/** A held DaemonJob creates nothing, and an event reports the end of the hold. */
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
  /** Jobs that run where they should no longer run. */
  readonly jobs: readonly ObservedJob[];
  /** Jobs whose machine is gone and that are not being deleted yet. */
  readonly lost: readonly ObservedJob[];
  /** Jobs that have to be recorded before they are deleted. */
  readonly unrecorded: readonly ObservedJob[];
  readonly orphaned: readonly ObservedJob[];
  /** When the machines of other Jobs count as gone, unless they are seen before. */
  readonly doubtsMs: readonly number[];
  readonly isRecordMissing: boolean;
}

/**
 * Jobs on machines that are gone or excluded, and those that an early end deletes. A Job that the status
 * does not know is recorded first, because it is the only trace of its attempt. Otherwise a view that
 * still shows the machine, or the end of an exclusion, would start the attempt again. The same holds for
 * an ended Job whose name another machine needs.
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
  // First the deadline is recorded. Otherwise, after a suspension, the Jobs would count as deleted by a user.
  const isRecorded =
    hold?.reason !== deadlineExceeded || isEndingLate(situation.status, deadlineExceeded);
  const cancelled = isRecorded ? known : [];
  const leaving = orphaned.filter(isDeletable);
  const going = new Set([...leaving, ...inTheWay, ...excluded.filter(isDeletable)]);
  const unrecorded = [...going].filter(
    (job) => !isOnRecord(situation, job, excluded.includes(job)),
  );
  return {
    jobs: [...excluded, ...cancelled.flatMap(({ job }) => job ?? [])].filter(
      (job) => isDeletable(job) && !unrecorded.includes(job),
    ),
    lost: leaving.filter((job) => !unrecorded.includes(job)),
    unrecorded,
    orphaned,
    doubtsMs,
    isRecordMissing: cancelled.length < running.length || unrecorded.length > 0,
  };
}

/**
 * Whether a replica that sees the machine without a Job would not start it again. The exclusion of a node
 * has to be recorded: if it ended first, the deleted Job would count as deleted by a user.
 */
function isOnRecord({ recorded }: Situation, job: ObservedJob, isExcluded: boolean): boolean {
  const { key, attempt } = runOf(job);
  const entry = recorded.get(key);
  if (entry === undefined) return false;
  if (entry.attempt !== attempt) return entry.attempt > attempt;
  return isExcluded ? entry.state === 'Retired' : entry.state !== 'Retrying';
}

/** The Job is not recorded as started yet, and it simply runs. */
function isNewlyRunning({ recorded }: Situation, { node, job }: NodeRecord): boolean {
  if (job === undefined || recorded.get(node.key)?.state === 'Started') return false;
  const { startTime, suspend, deletionTimestamp, conditions } = job;
  const isSettled = conditions.some(({ status }) => status === 'True');
  return startTime !== undefined && !suspend && deletionTimestamp === undefined && !isSettled;
}

/** Only some creates were refused, and no other time is set to try the rest. */
function isDeferred(situation: Situation, records: readonly NodeRecord[]): boolean {
  if (situation.rejections.size === 0) return false;
  const waits = inState(records, 'Waiting').some(({ isBlocked }) => isBlocked !== true);
  return waits && refusalDueMs(situation, records) === undefined;
}

/**
 * The end is on record: only removals are left to do. A Job that has still not ended belongs to a machine
 * that is gone, or was created by a pass that did not see the end. Nothing else would ever end it.
 */
function afterwards(situation: Situation): Decision {
  const { status, nowMs, daemonJob, namespace, snapshot, retry } = situation;
  // A refused retry is reported before the DaemonJob is deleted.
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

/** Never before the end itself: the completion time is from another clock, which may be far behind. */
function endRecordedMs({ status, nowMs }: Situation): number {
  const endMs = parseTime(status.completionTime) ?? nowMs;
  return Math.max(endMs, parseTime(status.lastUpdateTime) ?? endMs);
}

function whileTerminating(situation: Situation): Decision {
  const status = terminating(situation.status);
  return conclude(situation, { operations: [], creates: [], status, dueMs: [] });
}

/** The stored DaemonJob cannot be run. It may be corrected, since nothing was started. */
function refuse(situation: Situation, reason: string, message: string): Decision {
  const status = refusedStatus(situation, notAccepted(reason, message), { reason, message });
  const dueMs = [ttlDueMs(situation, status)];
  return conclude(situation, { operations: [], creates: [], status, dueMs });
}

/** Suspension still works, since it concerns Jobs and not their content. A requested retry waits. */
function standStill(situation: Situation, why: StandstillCause): Decision {
  const family = familyOf(situation);
  return conclude(situation, {
    operations: [...suspensionPatches(family, childSuspension(situation)), ...ttlPatches(family)],
    creates: [],
    status: standingStill(situation.daemonJob, why, situation.nowMs),
    dueMs: [],
  });
}

/** A failed DaemonJob continues on request, even if no failed node is left. */
function isAskedAnew({ status, retry }: Situation): boolean {
  return retry.isNew && status.state === 'Failed';
}
