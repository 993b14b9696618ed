/**
 * What happens next in one JobFlow. Pure: the same snapshot and time give the same bytes.
 *
 * The status is the record of truth: what is over there stays over (rule 10). A Job that exists is
 * recognised by its name and owner, whether or not the status knows of it yet (law 2), so a pass that
 * ended half way is simply decided again.
 */
import type { StepRecord } from '#shared/api/job-flow.ts';
import type { Decide, Decision } from '#shared/domain/decision.ts';
import type { DeleteOperation } from '#shared/domain/plan.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { FlowSnapshot } from './snapshot.ts';
import { accept } from './decide/accept.ts';
import { conclude, decision } from './decide/conclude.ts';
import { nextConditions, observedGeneration } from './decide/conditions.ts';
import { applyFailurePolicy, jobsToRemove } from './decide/failure.ts';
import { deadlineDueMs } from './decide/deadline.ts';
import { holdUpsDueMs } from './decide/hold-up.ts';
import { childName } from './decide/object-names.ts';
import { isNotStarted, notStarted } from './decide/record.ts';
import { applyRejections, refusalDueMs } from './decide/refusals.ts';
import { manualRetry, type ManualRetry } from './decide/retry.ts';
import {
  hasStarted,
  isFinished,
  isSuspended,
  isTerminating,
  openSituation,
  type Situation,
  tooLateToStart,
} from './decide/situation.ts';
import { startSteps } from './decide/start.ts';
import { accepted, notAccepted, retryFinding } from './decide/findings.ts';
import { common, runningStatus, unstartedEnd } from './decide/status.ts';
import { sizeFault } from './decide/stored-size.ts';
import { observeSteps, type Step } from './decide/steps.ts';
import { suspensionPatches } from './decide/suspend.ts';
import { resolveTemplates } from './decide/templates.ts';
import { childTtlPatches, deleteFlow, flowTtlDueMs } from './decide/ttl.ts';
import { resources } from '#shared/domain/resources.ts';

/** The flow may have changed under its own deletion, which then did nothing, milliseconds. */
const deletionRetryMs = 10_000;

export const decide: Decide<FlowSnapshot> = (snapshot, input) => {
  const situation = openSituation(snapshot, input);
  if (isTerminating(situation)) return whileTerminating(situation);
  const retry = manualRetry(situation.flow, situation.recorded);
  if (isFinished(situation) && retry.resetSteps.length === 0 && !isAskedAnew(situation, retry)) {
    return afterwards(situation, retry);
  }
  const acceptance = accept(situation);
  switch (acceptance.kind) {
    case 'rejected':
      return refuse(situation, retry, acceptance);
    case 'changed':
      return standStill(situation, acceptance.message);
    case 'accepted':
      return advance(situation, retry);
  }
};

/** The heart of it: what became of the steps, what that means, what starts. */
function advance(situation: Situation, retry: ManualRetry): Decision {
  const { nowMs } = situation;
  const templates = resolveTemplates(situation, retry);
  const tooLarge = sizeFault(situation, templates);
  if (tooLarge !== undefined) return refuse(situation, retry, tooLarge);
  const observed = observeSteps(situation, retry.records);
  if (isTooLateToStart(situation, observed)) return giveUpStarting(situation, retry, observed);
  const refused = applyRejections(situation, observed);
  const judged = applyFailurePolicy(situation, refused);
  const starts = startSteps(situation, templates, judged, retry);
  const steps = applyFailurePolicy(situation, starts.steps);
  const status = runningStatus(situation, retry, templates, steps);
  const { removed, deletable } = jobsToRemove(situation, steps);
  return conclude(situation, {
    operations: [
      ...starts.creates,
      ...suspensionPatches(situation, removed),
      ...childTtlPatches(situation),
      ...deletable.map((job): DeleteOperation => ({
        kind: 'delete',
        resource: resources.Job,
        target: childName(situation, job),
        uid: job.uid,
        propagation: 'Foreground',
      })),
    ],
    status,
    dueMs: [
      ...retryTimes(situation, steps),
      ...holdUpsDueMs(situation, steps),
      refusalDueMs(situation, steps),
      status.completionTime === undefined ? startDeadlineMs(situation, steps) : undefined,
      deadlineDueMs(situation, status),
      starts.isDeferred || deletable.length < removed.length ? nowMs : undefined,
      flowTtlDueMs(situation, status),
    ],
  });
}

/** The end is on record: only what was to be removed afterwards is left to do. */
function afterwards(situation: Situation, retry: ManualRetry): Decision {
  const { status } = situation;
  const dueMs = flowTtlDueMs(situation, status);
  // A retry that is refused is answered first.
  if (dueMs !== undefined && dueMs <= situation.nowMs && !retry.isNew) {
    const reason = {
      code: 'TtlExpired',
      message: 'ttlSecondsAfterFinished of the flow has passed',
    };
    return decision([[deleteFlow(situation)]], [reason], [situation.nowMs + deletionRetryMs]);
  }
  const conditions = nextConditions(situation, retryFinding(retry));
  return conclude(situation, {
    operations: childTtlPatches(situation),
    status: {
      ...status,
      ...common(situation, retry),
      ...(status.conditions === undefined && conditions.length === 0 ? {} : { conditions }),
    },
    dueMs: [dueMs],
  });
}

/** Being deleted: the garbage collector does the rest (rule 6). */
function whileTerminating(situation: Situation): Decision {
  const status = { ...situation.status, state: 'Terminating' } as const;
  return conclude(situation, { operations: [], status, dueMs: [] });
}

/** Stored although it cannot be run (rule 19). It may be corrected, since nothing was started. */
function refuse(
  situation: Situation,
  retry: ManualRetry,
  why: { readonly reason: string; readonly message: string },
): Decision {
  const findings = [notAccepted(why.reason, why.message)];
  const status = unstartedEnd(situation, retry, findings, why, []);
  return conclude(situation, { operations: [], status, dueMs: [flowTtlDueMs(situation, status)] });
}

/**
 * Steps were changed after the start (rule 16): nothing starts and nothing is concluded. Suspending
 * still works, since it concerns Jobs and not steps.
 */
function standStill(situation: Situation, message: string): Decision {
  const reason = 'SpecChanged';
  const status = {
    ...situation.status,
    ...observedGeneration(situation),
    reason,
    message,
    conditions: nextConditions(situation, [notAccepted(reason, message)]),
  };
  return conclude(situation, {
    operations: [...suspensionPatches(situation), ...childTtlPatches(situation)],
    status,
    dueMs: [],
  });
}

/** A flow that could not be started in time has failed; a suspended one is not late. */
function giveUpStarting(
  situation: Situation,
  retry: ManualRetry,
  steps: readonly Step[],
): Decision {
  const reason = tooLateToStart;
  const seconds = situation.flow.spec.startDeadlineSeconds ?? 0;
  const message = `no step could be started within ${seconds} s of the creation of the flow`;
  const records = steps.map(({ record }): StepRecord =>
    isNotStarted(record.state) ? notStarted(record, 'Skipped', { reason, message }) : record,
  );
  const status = unstartedEnd(situation, retry, [accepted], { reason, message }, records);
  return conclude(situation, { operations: [], status, dueMs: [flowTtlDueMs(situation, status)] });
}

/** A flow that was refused is judged again on request: what it refers to may have been corrected. */
function isAskedAnew(situation: Situation, { isNew, refusal }: ManualRetry): boolean {
  return !hasStarted(situation) && isNew && refusal === undefined;
}

function isTooLateToStart(situation: Situation, steps: readonly Step[]): boolean {
  const deadlineMs = startDeadlineMs(situation, steps);
  return deadlineMs !== undefined && deadlineMs <= situation.nowMs;
}

function startDeadlineMs(situation: Situation, steps: readonly Step[]): number | undefined {
  const { metadata, spec } = situation.flow;
  const createdMs = parseTime(metadata.creationTimestamp);
  if (spec.startDeadlineSeconds === undefined || createdMs === undefined) return undefined;
  if (hasStarted(situation) || isSuspended(situation)) return undefined;
  if (steps.some(({ record }) => record.jobName !== undefined)) return undefined;
  return createdMs + spec.startDeadlineSeconds * 1000;
}

function retryTimes({ nowMs }: Situation, steps: readonly Step[]): readonly number[] {
  return steps.flatMap(({ record }) => {
    const dueMs = isNotStarted(record.state) ? parseTime(record.nextRetryTime) : undefined;
    return dueMs !== undefined && dueMs > nowMs ? [dueMs] : [];
  });
}
