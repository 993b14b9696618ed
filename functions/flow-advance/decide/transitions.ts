/** What changes for steps and flow between the status that was read and the one that is wanted. */
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import { conditionStatus } from '#shared/domain/conditions.ts';
import type { FlowCondition } from './conditions.ts';
import { attemptOf } from './record.ts';

export interface Transitions {
  readonly before: JobFlowStatus;
  readonly after: JobFlowStatus;
  /** Entries whose state, attempt or reason is new, as they are now. */
  readonly steps: readonly StepRecord[];
}

export function transitionsOf(before: JobFlowStatus, after: JobFlowStatus): Transitions {
  const known = new Map((before.jobStatusList ?? []).map((record) => [record.name, record]));
  const steps = (after.jobStatusList ?? []).filter((record) =>
    isNews(known.get(record.name), record),
  );
  return { before, after, steps };
}

export function turned(
  { before, after }: Transitions,
  type: FlowCondition,
  status: 'True' | 'False',
): boolean {
  return (
    conditionStatus(after.conditions, type) === status &&
    conditionStatus(before.conditions, type) !== status
  );
}

function isNews(before: StepRecord | undefined, after: StepRecord): boolean {
  return (
    before?.state !== after.state ||
    before.reason !== after.reason ||
    attemptOf(before) !== attemptOf(after)
  );
}
