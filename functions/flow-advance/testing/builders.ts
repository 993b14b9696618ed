/** Objects with defaults: a test states only what matters to its rule. */
import type {
  FlowStep,
  JobFlow,
  JobFlowSpec,
  JobFlowStatus,
  StepRecord,
} from '#shared/api/job-flow.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import { contentHash } from '#shared/domain/hash.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { childJobName } from '#shared/domain/names.ts';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { JobCondition, ObservedJob } from '#shared/domain/observed-job.ts';
import type { FlowSnapshot, ObservedTemplate } from '../snapshot.ts';

/** The time at which everything in a test was created, and its "now". */
export const t0 = Date.parse('2026-01-05T10:00:00Z');
export const at = (secondsAfterT0: number): string => rfc3339(t0 + secondsAfterT0 * 1000);

export const flowName = 'etl';
export const flowUid = asUid('flow-uid-1');

export const busybox: JobSpec = {
  template: { spec: { containers: [{ name: 'main', image: 'busybox:1.28' }] } },
};

/** A step with its own template, unless it refers to one. */
export function step(
  name: string,
  fields: Partial<Omit<FlowStep, 'name' | 'dependencies'>> & {
    readonly after?: readonly string[];
  } = {},
): FlowStep {
  const { after, ...rest } = fields;
  return {
    name,
    ...(after === undefined ? {} : { dependencies: after }),
    ...(rest.jobTemplateRef === undefined ? { jobTemplate: busybox } : {}),
    ...rest,
  };
}

export interface FlowFields {
  readonly spec?: Partial<Omit<JobFlowSpec, 'flows'>>;
  readonly status?: JobFlowStatus;
  readonly name?: string;
  readonly generation?: number;
  readonly retry?: string;
  readonly deletionTimestamp?: string;
}

export function flow(flows: readonly FlowStep[], fields: FlowFields = {}): JobFlow {
  const { spec, status, name = flowName, generation = 1, retry, deletionTimestamp } = fields;
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: {
      name,
      namespace: 'default',
      uid: flowUid,
      resourceVersion: asResourceVersion('100'),
      generation,
      creationTimestamp: at(0),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(retry === undefined ? {} : { annotations: { [annotations.retry]: retry } }),
    },
    spec: { ...spec, flows },
    ...(status === undefined ? {} : { status }),
  };
}

/** The status of a started flow, with these entries. */
export function started(
  records: readonly StepRecord[],
  fields: Partial<JobFlowStatus> = {},
): JobFlowStatus {
  return {
    state: 'Running',
    observedGeneration: 1,
    startTime: at(0),
    jobStatusList: records,
    ...fields,
  };
}

/** The status entry of a step in this state, with the Job that belongs to it. */
export function record(
  name: string,
  state: StepRecord['state'],
  fields: Partial<StepRecord> = {},
): StepRecord {
  const attempt = fields.attempt ?? 0;
  const hasJob = !['Waiting', 'Blocked', 'Skipped'].includes(state);
  return {
    name,
    state,
    ...(hasJob ? { attempt, jobName: childJobName(flowName, name, attempt) } : {}),
    ...fields,
  };
}

export interface JobFields extends Partial<ObservedJob> {
  readonly attempt?: number;
}

/** A child Job as the Job controller leaves it in this state. */
export function job(
  stepName: string,
  state: 'pending' | 'running' | 'complete' | 'failed' | 'suspended' | 'criteriaMet',
  fields: JobFields = {},
): ObservedJob {
  const { attempt = 0, ...rest } = fields;
  const name = childJobName(flowName, stepName, attempt);
  const hasRun = state !== 'pending' && state !== 'suspended';
  return {
    name,
    uid: asUid(`uid-of-${name}`),
    creationTimestamp: at(0),
    labels: {
      [labels.flow]: flowName,
      [labels.ownerUid]: flowUid,
      [labels.step]: stepName,
      [labels.attempt]: String(attempt),
    },
    annotations: {},
    suspend: state === 'suspended',
    ...(hasRun ? { startTime: at(1) } : {}),
    ...(state === 'complete' ? { completionTime: at(9) } : {}),
    conditions: conditionsIn(state),
    ...rest,
  };
}

export function condition(type: string, fields: Partial<JobCondition> = {}): JobCondition {
  return { type, status: 'True', lastTransitionTime: at(9), ...fields };
}

function conditionsIn(state: Parameters<typeof job>[1]): readonly JobCondition[] {
  switch (state) {
    case 'complete':
      return [condition('SuccessCriteriaMet'), condition('Complete')];
    case 'criteriaMet':
      return [condition('SuccessCriteriaMet')];
    case 'failed':
      return [
        condition('Failed', {
          reason: 'BackoffLimitExceeded',
          message: 'Job has reached the specified backoff limit',
        }),
      ];
    case 'suspended':
      return [condition('Suspended')];
    case 'pending':
    case 'running':
      return [];
  }
}

export function template(name: string, jobTemplate: JobSpec = busybox): ObservedTemplate {
  return {
    name,
    uid: asUid(`uid-of-${name}`),
    generation: 1,
    hash: contentHash(jobTemplate),
    jobTemplate,
  };
}

export function snapshot(
  jobflow: JobFlow,
  fields: Partial<Omit<FlowSnapshot, 'flow'>> = {},
): FlowSnapshot {
  return {
    flow: jobflow,
    jobs: [],
    confirmedMissing: [],
    templates: {},
    flowsHash: 'hash-of-flows',
    rejections: [],
    ...fields,
  };
}
