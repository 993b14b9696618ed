/** The published states of a flow and its steps. */
import type { KubeObject } from '#shared/domain/objects.ts';
import { flowStates, type JobFlowStatus, type StepRecord, stepStates } from './job-flow-status.ts';
import type { FlowStep } from './step.ts';
import { withAllRecords } from './step-records.ts';
import {
  pick,
  stateOfCourse,
  type PublishedState,
  type PublishedStates,
} from './published-states.ts';

interface StoredFlow extends KubeObject {
  readonly spec: { readonly flows: readonly FlowStep[] };
  readonly status?: JobFlowStatus;
}

export const jobFlowStates: PublishedStates = {
  states: flowStates,
  parts: { word: 'step', states: stepStates },
  of: (object: KubeObject) => {
    const { metadata, spec, status } = object as StoredFlow;
    const flow = stateOfCourse(status, [
      'reason',
      'message',
      'progress',
      'startTime',
      'completionTime',
    ]);
    if (status === undefined) return flow;
    const { jobStatusList = [], retryNonce = '' } = withAllRecords(metadata, spec.flows, status);
    return [...flow, ...jobStatusList.map((record) => stateOfStep(record, retryNonce))];
  },
};

/** A step without times is distinguished by the manual retry that led to its state. */
function stateOfStep(record: StepRecord, retryNonce: string): PublishedState {
  const { name, state, attempt = 0, startTime, completionTime } = record;
  const time = completionTime ?? startTime;
  return {
    part: name,
    state,
    occasion: [attempt, time ?? retryNonce].join('.'),
    ...(time === undefined ? {} : { time }),
    says: pick(record, ['attempt', 'jobName', 'reason', 'message', 'startTime', 'completionTime']),
  };
}
