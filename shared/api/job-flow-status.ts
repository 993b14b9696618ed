/** The status of a JobFlow: the record of what ran (rules 9 and 10). */
import Type from 'typebox';
import type { DeepReadonly } from './deep-readonly.ts';
import { field } from './field.ts';
import type { JobSpec } from './pod-template.ts';
import { conditionSchema, count, generation, text, time } from './status-fields.ts';
import { maxSteps } from './step.ts';

export const flowStates = [
  'Pending',
  'Running',
  'Succeed',
  'Failed',
  'Suspended',
  'Terminating',
] as const;
export const stepStates = [
  'Waiting',
  'Blocked',
  'Pending',
  'Running',
  'Suspended',
  'Succeed',
  'Failed',
  'Skipped',
] as const;

const stepRecordSchema = Type.Object(
  {
    name: text('Name of the step.', 'job2', 63),
    jobName: Type.Optional(text('Name of the Job of the latest attempt.', 'example-job2-r1', 63)),
    jobUID: Type.Optional(text('UID of that Job.', 'f1b7a7f0-5a9e-4c0e-9c2b-2f2f0e5a8f57', 128)),
    state: Type.Enum(
      [...stepStates],
      field({
        says: 'Waiting for its dependencies, Blocked by something outside the flow (see reason), Pending: Job created, Running, Suspended, Succeed, Failed, or Skipped: will never start.',
        example: 'Running',
      }),
    ),
    attempt: Type.Optional(count('Number of the latest attempt; 0 is the first.', '1')),
    reason: Type.Optional(
      text('Why the step is in this state, as one CamelCase word.', 'NameConflict'),
    ),
    message: Type.Optional(
      text('Why the step is in this state, for people.', 'waits for job1', 32768),
    ),
    startTime: Type.Optional(time('When the Job of the latest attempt started.')),
    completionTime: Type.Optional(time('When the step ended, in success or in failure.')),
    templateHash: Type.Optional(
      text('Hash of the template that the Job was rendered from.', '5c1c8a0d', 128),
    ),
    nextRetryTime: Type.Optional(time('When the next attempt is made.')),
  },
  field({ says: 'The record of one step. Once the step has ended, the record is final.' }),
);

const pinnedTemplateSchema = Type.Object(
  {
    name: text('Name of the JobTemplate.', 'job1-template', 253),
    uid: text('UID of the JobTemplate.', 'f1b7a7f0-5a9e-4c0e-9c2b-2f2f0e5a8f57', 128),
    generation: generation('Generation of the JobTemplate when it was read.'),
    hash: text('Hash of its jobTemplate.', '5c1c8a0d', 128),
    jobTemplate: Type.Unsafe<JobSpec>({
      type: 'object',
      ...field(
        {
          says: 'The whole jobTemplate. Later edits do not affect a flow that has started, unless a step of it is retried by hand.',
        },
        { 'x-kubernetes-preserve-unknown-fields': true },
      ),
    }),
    submitter: Type.Optional(
      text(
        'Who last changed the JobTemplate when it was read, as its annotation millrace.dev/submitter says. A Job made from it needs the rights of that user and of the submitter of the flow.',
        '{"username":"ann"}',
        262144,
      ),
    ),
    seal: Type.Optional(
      text(
        'Proof that Millrace wrote this entry. An entry without a valid one is replaced by the JobTemplate as it is then, with the Event PinReplaced.',
        'q1V0o3b2m0sX8s5m1d4yqk2b7c9e0f3h5j8l1n4p7r0',
        64,
      ),
    ),
  },
  field({
    says: 'A JobTemplate as it was when the flow started, or when a step of it was last retried by hand.',
  }),
);

export const jobFlowStatusSchema = Type.Object(
  {
    state: Type.Optional(
      Type.Enum(
        [...flowStates],
        field({ says: 'Summary for people; programs read conditions.', example: 'Running' }),
      ),
    ),
    observedGeneration: Type.Optional(
      generation('Generation of the flow that the status describes.'),
    ),
    startTime: Type.Optional(
      time(
        'When the flow started. From then on flows, globalParams, shareVolumes, shareVolumeMounts and templatePolicy are frozen; when the flow has ended as Failed, steps that failed or were skipped may be corrected.',
      ),
    ),
    completionTime: Type.Optional(time('When the flow ended, in success or in failure.')),
    lastUpdateTime: Type.Optional(
      Type.String(
        field(
          {
            says: 'When this status was written. While only the steps progress it is at most a second behind them, or five under load (in a flow of more than 500 steps, 2 ms for each).',
            example: '2026-11-21T10:00:05.123000Z',
          },
          { format: 'date-time' },
        ),
      ),
    ),
    conditions: Type.Optional(
      Type.Array(
        conditionSchema(
          'flow',
          'Accepted, TemplatesResolved, Blocked, StepFailed, Suspended, Progressing, Complete, Failed, RetryRefused or UnknownAnnotation.',
        ),
        field(
          {
            says: 'Accepted (True with reason UnknownField if a Job runs without a misspelt field of its template), TemplatesResolved, Blocked, StepFailed, Suspended, Progressing, Complete, Failed, RetryRefused and UnknownAnnotation.',
            example: 'kubectl wait --for=condition=Complete jobflow.api.practice.com/NAME',
          },
          { maxItems: 32 },
        ),
      ),
    ),
    jobStatusList: Type.Optional(
      Type.Array(
        stepRecordSchema,
        field(
          {
            says: 'One entry for each step, in the order of spec.flows. In a flow of more than 200 steps only those that are running, failed or were retried, at most 200; see stepStates for the others.',
          },
          { maxItems: maxSteps },
        ),
      ),
    ),
    stepStates: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String(
          field({
            says: 'Positions among the sorted names of the steps, from 0.',
            example: '0-41,43',
          }),
        ),
        field(
          {
            says: 'In a flow of more than 200 steps: a state, with attempt and reason where there are any, and the positions of the steps that are in it and have no entry in jobStatusList, among the sorted names of all steps. A step in neither waits for its dependencies.',
            example: '{"Succeed": "0-41,43", "Failed/1/DeadlineExceeded": "42"}',
          },
          {},
        ),
      ),
    ),
    pinnedTemplates: Type.Optional(
      Type.Array(
        pinnedTemplateSchema,
        field(
          {
            says: 'The JobTemplates that the steps refer to, as they were at the start; those of steps that were retried by hand as they were then.',
          },
          { maxItems: maxSteps },
        ),
      ),
    ),
    progress: Type.Optional(text('Steps that succeeded, of all steps.', '2/5', 16)),
    running: Type.Optional(count('Steps whose Job exists and has not ended.', '1')),
    failed: Type.Optional(count('Steps that failed.', '0')),
    suspended: Type.Optional(count('Steps whose Job is suspended.', '0')),
    total: Type.Optional(count('All steps.', '5')),
    reason: Type.Optional(
      text('Why the flow is in this state, as one CamelCase word.', 'JobTemplateNotFound'),
    ),
    message: Type.Optional(
      text('Why the flow is in this state, for people.', 'waits for job2', 32768),
    ),
    retryNonce: Type.Optional(
      text('Value of the millrace.dev/retry annotation that was handled last.', '1'),
    ),
    flowsHash: Type.Optional(
      text(
        'Hash of what is frozen in the spec, as it was at the start or at the last retry by hand.',
        '5c1c8a0d',
        128,
      ),
    ),
    stepHashes: Type.Optional(
      text(
        'The same for each step, in the order of their names, after a hash of the frozen fields of all steps. It distinguishes a correction of failed steps from a change of others.',
        '9e4632421b7f0350:5c1c8a0d',
        65536,
      ),
    ),
  },
  field({ says: 'What happened so far. Written by Millrace only.' }),
);

export type FlowState = (typeof flowStates)[number];
export type StepState = (typeof stepStates)[number];
export type JobFlowStatus = DeepReadonly<Type.Static<typeof jobFlowStatusSchema>>;
/** The record of one step: an entry of `status.jobStatusList`. */
export type StepRecord = DeepReadonly<Type.Static<typeof stepRecordSchema>>;
export type PinnedTemplate = DeepReadonly<Type.Static<typeof pinnedTemplateSchema>>;
