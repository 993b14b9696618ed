/** A status reduced to its facts, independent of the wording. */
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';

import { type Told, without } from './look.ts';
import { conditionsOn, type ToldConditions } from './told-conditions.ts';

export interface ToldStatus extends Omit<
  JobFlowStatus,
  | 'message'
  | 'conditions'
  | 'jobStatusList'
  | 'stepStates'
  | 'pinnedTemplates'
  | 'flowsHash'
  | 'stepHashes'
  | 'lastUpdateTime'
> {
  readonly steps: readonly Told[];
  readonly conditions: ToldConditions;
  readonly pins: Readonly<Record<string, string>>;
}

/** A decision's input is needed several times, and statuses are never changed in place. */
const known = new WeakMap<JobFlowStatus, ToldStatus>();

export function onRecord({ status = noStatus }: Pick<JobFlow, 'status'>): ToldStatus {
  let told = known.get(status);
  if (told === undefined) {
    told = toldBy(status);
    known.set(status, told);
  }
  return told;
}

const noStatus: JobFlowStatus = {};

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
    'stepHashes',
    'lastUpdateTime',
  );
  return {
    ...rest,
    steps: jobStatusList ?? [],
    conditions: conditionsOn(conditions),
    pins: Object.fromEntries(
      (pinnedTemplates ?? []).map(({ name, uid, generation, hash }) => [
        name,
        `${uid} ${generation} ${hash}`,
      ]),
    ),
  };
}
