/** A status as far as the rules speak of it: what it tells, in whatever words. */
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';
import type { ToldCondition } from './conditions.ts';
import { type Told, without } from './look.ts';

export interface ToldStatus extends Omit<
  JobFlowStatus,
  | 'message'
  | 'conditions'
  | 'jobStatusList'
  | 'stepStates'
  | 'pinnedTemplates'
  | 'flowsHash'
  | 'lastUpdateTime'
> {
  readonly steps: readonly Told[];
  readonly conditions: Readonly<Record<string, ToldCondition>>;
  readonly pins: Readonly<Record<string, string>>;
}

/** What a decision looks at is asked for several times, and statuses are never changed in place. */
const known = new WeakMap<JobFlowStatus, ToldStatus>();

export function onRecord({ status = {} }: Pick<JobFlow, 'status'>): ToldStatus {
  const told = known.get(status) ?? toldBy(status);
  known.set(status, told);
  return told;
}

function toldBy(status: JobFlowStatus): ToldStatus {
  const { conditions, jobStatusList, pinnedTemplates } = status;
  const rest = without(
    status,
    'message',
    'conditions',
    'jobStatusList',
    'stepStates',
    'pinnedTemplates',
    'flowsHash',
    'lastUpdateTime',
  );
  return {
    ...rest,
    steps: jobStatusList ?? [],
    conditions: Object.fromEntries(
      (conditions ?? []).map(({ type, status, reason, lastTransitionTime }) => [
        type,
        { isTrue: status === 'True', reason, since: lastTransitionTime },
      ]),
    ),
    pins: Object.fromEntries(
      (pinnedTemplates ?? []).map(({ name, uid, generation, hash }) => [
        name,
        `${uid} ${generation} ${hash}`,
      ]),
    ),
  };
}
