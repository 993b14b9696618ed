/** JobFlow: Jobs that run in the order of their dependencies. The schema is the single source. */
import Type from 'typebox';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { field } from './field.ts';
import { globalParamsSchema } from './global-params.ts';
import { jobFlowDefaults } from './job-flow-defaults.ts';
import { rootRules, specRules } from './job-flow-rules-cel.ts';
import { jobFlowStates } from './job-flow-states.ts';
import { jobFlowStatusSchema, type JobFlowStatus } from './job-flow-status.ts';
import type { KindDefinition } from './kind-definition.ts';
import { flowController, multiKueue } from './work/managed-by.ts';
import { flowPodSetInfosSchema } from './pod-set-info.ts';
import {
  dnsLabelPattern,
  flowStepSchema,
  maxSteps,
  shareVolumeMountsSchema,
  shareVolumesSchema,
} from './step.ts';
import { ageColumn, wideColumns } from './printer-columns.ts';

export { jobFlowDefaults } from './job-flow-defaults.ts';
export { type FlowStep } from './step.ts';
export { type JobFlowStatus, type StepRecord, type StepState } from './job-flow-status.ts';

const jobFlowSpecSchema = Type.Object(
  {
    globalParams: Type.Optional(globalParamsSchema),
    shareVolumes: Type.Optional(
      shareVolumesSchema(
        'Volumes that are added to the Pods of every step. Each Pod has its own emptyDir or ephemeral volume. Steps share files by a persistentVolumeClaim.',
      ),
    ),
    shareVolumeMounts: Type.Optional(
      shareVolumeMountsSchema(
        'Mounts that are added to every container of every step. A container that mounts the same path keeps its own.',
      ),
    ),
    flows: Type.Array(
      flowStepSchema,
      field(
        {
          says: 'The steps, in any order. Each becomes one Job as soon as all its dependencies have succeeded.',
          example:
            '[{name: job1, jobTemplateRef: job1-template}, {name: job2, jobTemplateRef: job2-template, dependencies: [job1]}]',
        },
        {
          minItems: 1,
          maxItems: maxSteps,
          'x-millrace-unique': ['name'],
        },
      ),
    ),
    failurePolicy: Type.Optional(
      Type.Enum(
        ['ContinueIndependent', 'FailFast', 'CancelRunning'],
        field(
          {
            says: 'What happens when a step has failed for good. ContinueIndependent: steps that do not depend on it still start and finish. FailFast: nothing new starts, running Jobs finish. CancelRunning: nothing new starts, running Jobs are deleted. May be changed while the flow runs.',
            example: 'FailFast',
          },
          { default: jobFlowDefaults.failurePolicy },
        ),
      ),
    ),
    parallelism: Type.Optional(
      Type.Integer(
        field(
          {
            says: 'How many steps may run at once. A step takes a place when its Job is created, and frees it when the Job has ended and its Pods are gone. A suspended Job keeps its place. Free places are given in the order of spec.flows. Absent: all at once. May be changed while the flow runs. Running steps continue.',
            unit: 'steps',
            example: '4',
          },
          { minimum: 1, maximum: 2147483647, format: 'int32' },
        ),
      ),
    ),
    suspend: Type.Optional(
      Type.Boolean(
        field(
          {
            says: 'While true no step starts. suspendMode says what happens to running Jobs. May be changed while the flow runs.',
            example: 'true',
          },
          { default: jobFlowDefaults.suspend },
        ),
      ),
    ),
    suspendMode: Type.Optional(
      Type.Enum(
        ['StopRunning', 'SchedulingOnly'],
        field(
          {
            says: 'StopRunning: the running Jobs of the flow are suspended too, which ends their Pods. SchedulingOnly: they finish.',
            example: 'SchedulingOnly',
          },
          { default: jobFlowDefaults.suspendMode },
        ),
      ),
    ),
    shutdown: Type.Optional(
      Type.Enum(
        ['Stop', 'Terminate'],
        field({
          says: 'Ends the flow early and keeps its record. Stop: nothing new starts and nothing is retried, running Jobs finish, suspended Jobs are deleted. Terminate: running Jobs are deleted as well. Steps that did not start are Skipped, and the flow ends as Failed with reason Shutdown, unless every step had succeeded. May be set at any time, also at its creation, and changed from Stop to Terminate; it has no effect after the end. Removing it before the end lets what still runs be retried again, but skipped steps stay skipped. To run them remove it and set millrace.dev/retry.',
          example: 'Stop',
        }),
      ),
    ),
    activeDeadlineSeconds: Type.Optional(
      Type.Integer(
        field(
          {
            says: 'How long the flow may take, counted from its start, its last resumption or the retry that reverted its failure. Then nothing new starts, running Jobs are deleted, and the flow ends as Failed with reason FlowDeadlineExceeded, unless every step had succeeded. A suspended flow is not late. May be changed while the flow runs; it has no effect after the end.',
            unit: 'seconds',
            example: '3600',
          },
          { minimum: 1, maximum: 2147483647, format: 'int32' },
        ),
      ),
    ),
    ttlSecondsAfterFinished: Type.Optional(
      Type.Integer(
        field(
          {
            says: 'How long the flow is kept after its end. Then it is deleted with its Jobs. Absent: kept for ever. May be changed while the flow runs.',
            unit: 'seconds',
            example: '86400',
          },
          { minimum: 0, maximum: 2147483647, format: 'int32' },
        ),
      ),
    ),
    templatePolicy: Type.Optional(
      Type.Enum(
        ['PinAtStart', 'ResolveAtStep'],
        field(
          {
            says: 'When a JobTemplate is read. PinAtStart: all of them when the flow starts; later edits and deletions do not touch it, but a retry by hand reads the templates of the steps that it starts again. ResolveAtStep: each one when its step starts.',
            example: 'ResolveAtStep',
          },
          { default: jobFlowDefaults.templatePolicy },
        ),
      ),
    ),
    startDeadlineSeconds: Type.Optional(
      Type.Integer(
        field(
          {
            says: 'How long the flow may wait for its first Job, for example because a JobTemplate is missing, before it fails. Counted from its creation, its last resumption or the retry that reverted its failure. A suspended flow is not late. Once a Job exists, a missing JobTemplate is waited for without end. Absent: it waits for ever.',
            unit: 'seconds',
            example: '600',
          },
          { minimum: 1, maximum: 2147483647, format: 'int32' },
        ),
      ),
    ),
    podSetInfos: Type.Optional(flowPodSetInfosSchema),
    managedBy: Type.Optional(
      Type.Enum(
        [flowController, multiKueue],
        field({
          says: `The controller that runs the flow. ${flowController}, or nothing: Millrace. ${multiKueue}: Kueue runs it on another cluster and copies its status back; nothing of it runs here. It cannot be changed later.`,
          example: multiKueue,
        }),
      ),
    ),
  },
  field({ says: 'The work to run, and its order.' }, { 'x-millrace-rules': specRules }),
);

export type JobFlowSpec = DeepReadonly<Type.Static<typeof jobFlowSpecSchema>>;

export interface JobFlow {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: JobFlowSpec;
  readonly status?: JobFlowStatus;
}

export const jobFlowKind: KindDefinition = {
  resource: resources.JobFlow,
  shortNames: ['mjf'],
  says: 'A JobFlow runs Jobs in the order of their dependencies: each step becomes a batch/v1 Job as soon as the steps that it depends on have succeeded.',
  name: { maxLength: 63, pattern: dnsLabelPattern },
  spec: jobFlowSpecSchema,
  status: jobFlowStatusSchema,
  published: jobFlowStates,
  rules: rootRules,
  selectableFields: ['.status.state'],
  columns: [
    { name: 'Status', type: 'string', jsonPath: '.status.state', says: 'State of the flow' },
    ...wideColumns([
      ['Progress', 'string', 'Steps that succeeded, of all'],
      ['Running', 'integer', 'Steps that run'],
      ['Failed', 'integer', 'Steps that failed'],
      ['Suspended', 'integer', 'Steps that are suspended'],
      ['Reason', 'string', 'Why the flow is in this state'],
      ['Message', 'string', 'The same for people'],
    ]),
    ageColumn,
  ],
};
