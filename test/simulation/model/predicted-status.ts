/** A status reduced to its facts, independent of the wording. */
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';

import { type Predicted, without } from './look.ts';
import { conditionsOn, type PredictedConditions } from './predicted-conditions.ts';

export interface PredictedStatus extends Omit<
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
  readonly steps: readonly Predicted[];
  readonly conditions: PredictedConditions;
  readonly pins: Readonly<Record<string, string>>;
}

/** A decision's input is needed several times, and statuses are never changed in place. */
const known = new WeakMap<JobFlowStatus, PredictedStatus>();

export function onRecord({ status = noStatus }: Pick<JobFlow, 'status'>): PredictedStatus {
  let predicted = known.get(status);
  if (predicted === undefined) {
    predicted = predictedBy(status);
    known.set(status, predicted);
  }
  return predicted;
}

const noStatus: JobFlowStatus = {};

function predictedBy(status: JobFlowStatus): PredictedStatus {
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
