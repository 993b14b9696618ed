/**
 * Decides the next step of one JobFlow. Pure: the same snapshot and time give the same bytes.
 *
 * The status is the record of truth: a step that is over there stays over (rule 10). A Job is
 * recognised by its name and owner, even if the status does not record it yet (law 2). So a pass
 * that ended half way is simply decided again.
 */
import type { StepRecord } from '#shared/api/job-flow.ts';
import { flowController, otherController } from '#shared/api/work/managed-by.ts';
import type { Decide, Decision } from '#shared/domain/decision.ts';
import { parseTime } from '#shared/domain/time.ts';
import { notAccepted } from '#shared/parents/acceptance.ts';
import { suspensionPatches } from '#shared/parents/child-suspension.ts';
import { ttlPatches } from '#shared/parents/child-ttl.ts';
import { childDeletion } from '#shared/parents/child-writes.ts';
import { expired, parentTtlDueMs } from '#shared/parents/parent-ttl.ts';
import {
  afterTheEnd,
  type StandstillCause,
  standingStill,
  terminating,
} from '#shared/parents/standing.ts';
import type { FlowSnapshot } from './snapshot.ts';
import { accept } from './decide/accept.ts';
import { conclude } from './decide/conclude.ts';
import { applyFailurePolicy, jobsToRemove } from './decide/failure.ts';
import { deadlineDueMs, startDeadlineDueMs, startDeadlineMs } from './decide/deadline.ts';
import { familyOf } from './decide/family.ts';
import { holdUpsDueMs } from './decide/hold-up.ts';
import { isNotStarted, notStarted } from './decide/record.ts';
import { applyRejections, refusalDueMs } from './decide/refusals.ts';
import { manualRetry, type ManualRetry } from './decide/retry.ts';
import {
  hasStarted,
  isFinished,
  isTerminating,
  openSituation,
  type Situation,
  tooLateToStart,
} from './decide/situation.ts';
import { startSteps } from './decide/start.ts';
import { accepted } from './decide/findings.ts';
import { runningStatus, unstartedEnd } from './decide/status.ts';
import { fittingRetry, replacedPinFault, sizeFault } from './decide/stored-size.ts';
import { observeSteps, type Step } from './decide/steps.ts';
import { childSuspension } from './decide/suspend.ts';
import { resolveTemplates } from './decide/templates.ts';
import { resources } from '#shared/domain/resources.ts';

export const decide: Decide<FlowSnapshot> = (snapshot, input) => {
  const other = otherController(snapshot.flow.spec, flowController);
  if (other !== undefined) {
    const message = `it is run by ${other} (spec.managedBy)`;
    return { plan: [], reasons: [{ code: 'ManagedByOther', message }] };
  }
  const situation = openSituation(snapshot, input);
  if (isTerminating(situation)) return whileTerminating(situation);
  const asked = manualRetry(situation.flow, situation.recorded);
  const retry = fittingRetry(situation, asked);
  if (isFinished(situation) && retry.resetSteps.length === 0 && !isAskedAnew(situation, retry)) {
    return afterwards(situation, retry);
  }
  const acceptance = accept(situation);
  switch (acceptance.kind) {
    case 'rejected':
      return refuse(situation, retry, acceptance);
    case 'changed':
      return standStill(situation, acceptance);
    case 'accepted':
      return advance(situation, retry);
  }
};

/** Finds what became of the steps, what follows for the others, and what starts. */
function advance(situation: Situation, retry: ManualRetry): Decision {
  const { nowMs } = situation;
  const templates = resolveTemplates(situation, retry);
  const tooLarge = sizeFault(situation, templates);
  if (tooLarge !== undefined) return refuse(situation, retry, tooLarge);
  const grown = replacedPinFault(situation, templates);
  if (grown !== undefined) return standStill(situation, grown);
  const observed = observeSteps(situation, retry.records);
  if (isTooLateToStart(situation, observed)) return giveUpStarting(situation, retry, observed);
  const refused = applyRejections(situation, observed);
  const judged = applyFailurePolicy(situation, refused);
  const starts = startSteps(situation, templates, judged, retry);
  const steps = applyFailurePolicy(situation, starts.steps);
  const status = runningStatus(situation, retry, templates, steps);
  const { removed, deletable } = jobsToRemove(situation, steps);
  const family = familyOf(situation);
  return conclude(situation, {
    operations: [
      ...starts.creates,
      ...suspensionPatches(family, childSuspension(situation), removed),
      ...ttlPatches(family),
      ...deletable.map((job) => childDeletion(family.namespace, job)),
    ],
    status,
    dueMs: [
      ...retryTimes(situation, steps),
      ...holdUpsDueMs(situation, steps),
      refusalDueMs(situation, steps),
      startDeadlineDueMs(situation, status),
      deadlineDueMs(situation, status),
      starts.isDeferred || deletable.length < removed.length ? nowMs : undefined,
      parentTtlDueMs(situation.flow.spec, status),
    ],
  });
}

/** The end is on record. Only the TTLs of the Jobs and of the flow are left to handle. */
function afterwards(situation: Situation, retry: ManualRetry): Decision {
  const { flow, status, nowMs } = situation;
  const dueMs = parentTtlDueMs(flow.spec, status);
  // A refused retry is reported before the flow is deleted (rule 14).
  if (dueMs !== undefined && dueMs <= nowMs && !retry.isNew && retry.refusal === undefined) {
    return expired(flow, resources.JobFlow, 'flow', nowMs);
  }
  return conclude(situation, {
    operations: ttlPatches(familyOf(situation)),
    status: afterTheEnd(flow, retry, nowMs),
    dueMs: [dueMs],
  });
}

function whileTerminating(situation: Situation): Decision {
  return conclude(situation, { operations: [], status: terminating(situation.status), dueMs: [] });
}

/** The stored flow cannot be run (rule 19). It may still be corrected, since nothing was started. */
function refuse(
  situation: Situation,
  retry: ManualRetry,
  why: { readonly reason: string; readonly message: string },
): Decision {
  const findings = [notAccepted(why.reason, why.message)];
  const status = unstartedEnd(situation, retry, findings, why, []);
  return conclude(situation, {
    operations: [],
    status,
    dueMs: [parentTtlDueMs(situation.flow.spec, status)],
  });
}

/** The flow was changed after its start (rule 16). It can still be suspended: that concerns Jobs only. */
function standStill(situation: Situation, why: StandstillCause): Decision {
  const family = familyOf(situation);
  return conclude(situation, {
    operations: [...suspensionPatches(family, childSuspension(situation)), ...ttlPatches(family)],
    status: standingStill(situation.flow, why, situation.nowMs),
    dueMs: [],
  });
}

/** A flow that could not be started in time has failed. A suspended flow is never late. */
function giveUpStarting(
  situation: Situation,
  retry: ManualRetry,
  steps: readonly Step[],
): Decision {
  const reason = tooLateToStart;
  const seconds = situation.flow.spec.startDeadlineSeconds ?? 0;
  const message = `no step could be started within ${seconds} s (spec.startDeadlineSeconds)`;
  const records = steps.map(({ record }): StepRecord =>
    isNotStarted(record.state) ? notStarted(record, 'Skipped', { reason, message }) : record,
  );
  const status = unstartedEnd(situation, retry, [accepted], { reason, message }, records);
  return conclude(situation, {
    operations: [],
    status,
    dueMs: [parentTtlDueMs(situation.flow.spec, status)],
  });
}

/** A retry by hand has a refused flow judged again: what the flow refers to may have been corrected. */
function isAskedAnew(situation: Situation, { isNew }: ManualRetry): boolean {
  return !hasStarted(situation) && isNew;
}

function isTooLateToStart(situation: Situation, steps: readonly Step[]): boolean {
  if (steps.some(({ record }) => record.jobName !== undefined)) return false;
  const deadlineMs = startDeadlineMs(situation, situation.status);
  return deadlineMs !== undefined && deadlineMs <= situation.nowMs;
}

function retryTimes({ nowMs }: Situation, steps: readonly Step[]): readonly number[] {
  return steps.flatMap(({ record }) => {
    const dueMs = isNotStarted(record.state) ? parseTime(record.nextRetryTime) : undefined;
    return dueMs !== undefined && dueMs > nowMs ? [dueMs] : [];
  });
}
