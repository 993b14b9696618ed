/** JobFlow: Jobs that run in the order of their dependencies. The schema is the single source. */
import Type from 'typebox';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { field } from './field.ts';
import type { JobFlowStatus } from './job-flow-status.ts';
import { envVarSchema, jobSpecSchema, volumeMountSchema, volumeSchema } from './preserved.ts';

export { type JobFlowStatus, type JobStatus, type StepState } from './job-flow-status.ts';

/** What the API server fills in; a reader that may see an object without it uses the same values. */
export const jobFlowDefaults = {
  nodeBinding: 'Affinity',
  failurePolicy: 'ContinueIndependent',
  suspend: false,
  suspendMode: 'StopRunning',
  templatePolicy: 'PinAtStart',
  startOn: 'Complete',
  retryPolicy: { limit: 0, backoffSeconds: 10, factor: 2, capSeconds: 300 },
} as const;

const globalParamsSchema = Type.Object({
  nodeName: Type.Optional(Type.String()),
  nodeBinding: Type.Optional(Type.Enum(['Affinity', 'Direct'])),
  env: Type.Optional(Type.Array(envVarSchema)),
  annotations: Type.Optional(Type.Record(Type.String(), Type.String())),
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
});

const retryPolicySchema = Type.Object({
  limit: Type.Optional(Type.Integer()),
  backoffSeconds: Type.Optional(Type.Integer()),
  factor: Type.Optional(Type.Integer()),
  capSeconds: Type.Optional(Type.Integer()),
});

const flowSchema = Type.Object({
  name: Type.String(),
  dependencies: Type.Optional(Type.Array(Type.String())),
  jobTemplate: Type.Optional(jobSpecSchema('The Job of this step, as batch/v1 JobSpec.')),
  jobTemplateRef: Type.Optional(Type.String()),
  shareVolumes: Type.Optional(Type.Array(volumeSchema)),
  shareVolumeMounts: Type.Optional(Type.Array(volumeMountSchema)),
  retryPolicy: Type.Optional(retryPolicySchema),
  startOn: Type.Optional(Type.Enum(['Complete', 'SuccessCriteriaMet'])),
});

export const jobFlowSpecSchema = Type.Object(
  {
    globalParams: Type.Optional(globalParamsSchema),
    shareVolumes: Type.Optional(Type.Array(volumeSchema)),
    shareVolumeMounts: Type.Optional(Type.Array(volumeMountSchema)),
    flows: Type.Array(flowSchema),
    failurePolicy: Type.Optional(Type.Enum(['ContinueIndependent', 'FailFast', 'CancelRunning'])),
    suspend: Type.Optional(Type.Boolean()),
    suspendMode: Type.Optional(Type.Enum(['StopRunning', 'SchedulingOnly'])),
    ttlSecondsAfterFinished: Type.Optional(Type.Integer()),
    templatePolicy: Type.Optional(Type.Enum(['PinAtStart', 'ResolveAtStep'])),
    startDeadlineSeconds: Type.Optional(Type.Integer()),
  },
  field({ says: 'What is to run, and in which order.' }),
);

export type JobFlowSpec = DeepReadonly<Type.Static<typeof jobFlowSpecSchema>>;
/** One step: an entry of `spec.flows`. */
export type Flow = DeepReadonly<Type.Static<typeof flowSchema>>;
export type GlobalParams = DeepReadonly<Type.Static<typeof globalParamsSchema>>;
export type RetryPolicy = DeepReadonly<Type.Static<typeof retryPolicySchema>>;

export interface JobFlow {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: JobFlowSpec;
  readonly status?: JobFlowStatus;
}
