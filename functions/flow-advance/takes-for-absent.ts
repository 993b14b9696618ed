/**
 * Whether the decision takes Jobs for absent that another pass may have created without recording them: then all
 * Jobs of the flow are asked for before it counts.
 *
 * The flow has ended without some of its steps, or of their retries (rules 12, 18, 25 and 26): nobody looks for their Jobs again, and one that is
 * there would run to its end unseen. Or a Job is gone and nothing that waited for it has begun (rule 20): a dependant
 * that was started after all proves that the Job had succeeded, and its step would run twice. Or Jobs are created
 * under a limit to how many run at once (rule 24): one that is not in sight takes its place all the same.
 */
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import { isLong } from '#shared/api/step-records.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { childJobName } from '#shared/domain/names.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { told, toldAtEnd, type Plan } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import type { FlowSnapshot } from './snapshot.ts';

export function takesForAbsent(snapshot: FlowSnapshot, { plan }: Decision): Resource | undefined {
  const leavesOut =
    leavesStepsOut(snapshot, plan) ||
    losesSteps(snapshot, plan) ||
    startsUnderLimit(snapshot, plan);
  return leavesOut ? resources.Job : undefined;
}

function leavesStepsOut({ flow: { spec, status } }: FlowSnapshot, plan: Plan): boolean {
  const end: JobFlowStatus | undefined = toldAtEnd(plan);
  if (end === undefined) return false;
  // Of a long flow the positions of steps that were skipped before need not be recorded again.
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

/** The end of a Job that is gone is recorded, and it is not the one that a dependant proves. */
function losesSteps({ flow, confirmedMissing }: FlowSnapshot, plan: Plan): boolean {
  if (confirmedMissing.length === 0) return false;
  const missing = new Set(confirmedMissing);
  const attempts = new Map(flow.status?.jobStatusList?.map(({ name, attempt }) => [name, attempt]));
  const isMissing = ({ name }: StepRecord): boolean =>
    missing.has(childJobName(flow.metadata.name, name, attempts.get(name) ?? 0));
  const after: JobFlowStatus | undefined = told(plan);
  return after?.jobStatusList?.some((each) => each.state !== 'Succeed' && isMissing(each)) === true;
}

/** Of a flow with no more steps than may run at once nothing is to be counted. */
function startsUnderLimit({ flow: { spec } }: FlowSnapshot, plan: Plan): boolean {
  const { parallelism } = spec;
  if (parallelism === undefined || spec.flows.length <= parallelism) return false;
  return plan.flat().some(({ kind }) => kind === 'create');
}
