/**
 * Whether the decision is that the flow has ended without some of its steps (rules 12 and 18). Nobody looks for
 * their Jobs again: one that another pass had created, and could not tell of, would run to its end unseen.
 */
import type { JobFlowStatus } from '#shared/api/job-flow.ts';
import { isLong } from '#shared/api/step-records.ts';
import type { Decision } from '#shared/domain/decision.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { toldAtEnd } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import type { FlowSnapshot } from './snapshot.ts';

export function takesForAbsent(
  { flow: { spec, status } }: FlowSnapshot,
  { plan }: Decision,
): Resource | undefined {
  const told: JobFlowStatus | undefined = toldAtEnd(plan);
  if (told === undefined) return undefined;
  // Of a long flow the positions of steps that were skipped before need not be told again.
  const before = isLong(spec.flows) ? status?.jobStatusList : undefined;
  const records = [...(told.jobStatusList ?? []), ...(before ?? [])];
  const states = [...records.map(({ state }) => state), ...Object.keys(told.stepStates ?? {})];
  return states.some((state) => state.startsWith('Skipped')) ? resources.Job : undefined;
}
