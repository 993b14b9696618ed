/**
 * Does the decision assume that Jobs are absent which another pass may have created unrecorded? If so,
 * the API server is asked for all Jobs of the flow before the decision is applied. Four cases:
 *
 * The flow ends without some steps or retries (rules 12, 18, 25 and 26): an existing Job of them would
 * run on unseen. A Job is gone and no dependant has begun (rule 20): a begun dependant would prove that
 * the Job succeeded, and its step would run twice. Jobs are created under a limit (rule 24): an unseen
 * Job takes a place too. A queued flow has stopped: its quota is given back, and an unseen Job would run
 * without any.
 */
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import { isLong } from '#shared/api/step-records.ts';
import { reportsStop } from '#shared/api/work/queueing/stopped.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { childJobName } from '#shared/domain/names.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { statusPatchOf, endPatchOf, type Plan } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import type { FlowSnapshot } from './snapshot.ts';

export function takesForAbsent(snapshot: FlowSnapshot, { plan }: Decision): Resource | undefined {
  const leavesOut =
    leavesStepsOut(snapshot, plan) ||
    losesSteps(snapshot, plan) ||
    startsUnderLimit(snapshot, plan) ||
    reportsStop(snapshot.flow, plan);
  return leavesOut ? resources.Job : undefined;
}

function leavesStepsOut({ flow: { spec, status } }: FlowSnapshot, plan: Plan): boolean {
  const end: JobFlowStatus | undefined = endPatchOf(plan);
  if (end === undefined) return false;
  // A long flow need not record again the positions of steps that were skipped before.
  const before = isLong(spec.flows) ? status?.jobStatusList : undefined;
  const records = [...(end.jobStatusList ?? []), ...(before ?? [])];
  const states = [...records.map(({ state }) => state), ...Object.keys(end.stepStates ?? {})];
  return (
    states.some((state) => state.startsWith('Skipped')) ||
    records.some(({ reason = '' }) => retriesGivenUp.has(reason))
  );
}

const retriesGivenUp: ReadonlySet<string> = new Set([
  'FlowDeadlineExceeded',
  'RetryAbandoned',
  'Shutdown',
]);

/** A missing Job is recorded with an end that no dependant proves. */
function losesSteps({ flow, confirmedMissing }: FlowSnapshot, plan: Plan): boolean {
  if (confirmedMissing.length === 0) return false;
  const missing = new Set(confirmedMissing);
  const attempts = new Map(flow.status?.jobStatusList?.map(({ name, attempt }) => [name, attempt]));
  const isMissing = ({ name }: StepRecord): boolean =>
    missing.has(childJobName(flow.metadata.name, name, attempts.get(name) ?? 0));
  const after: JobFlowStatus | undefined = statusPatchOf(plan);
  return after?.jobStatusList?.some((each) => each.state !== 'Succeed' && isMissing(each)) === true;
}

/** With no more steps than may run at once, there is nothing to count. */
function startsUnderLimit({ flow: { spec } }: FlowSnapshot, plan: Plan): boolean {
  const { parallelism } = spec;
  if (parallelism === undefined || spec.flows.length <= parallelism) return false;
  return plan.flat().some(({ kind }) => kind === 'create');
}
