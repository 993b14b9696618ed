/** The status of a JobFlow: the record of truth about what ran (facts: JobFlow rules 9 and 10). */
import Type from 'typebox';
import type { DeepReadonly } from './deep-readonly.ts';
import { jobSpecSchema } from './preserved.ts';

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

const timeSchema = Type.String({ format: 'date-time' });

const conditionSchema = Type.Object({
  type: Type.String(),
  status: Type.Enum(['True', 'False', 'Unknown']),
  reason: Type.String(),
  message: Type.String(),
  lastTransitionTime: timeSchema,
  observedGeneration: Type.Optional(Type.Integer()),
});

const jobStatusSchema = Type.Object({
  name: Type.String(),
  jobName: Type.Optional(Type.String()),
  jobUID: Type.Optional(Type.String()),
  state: Type.Enum([...stepStates]),
  attempt: Type.Optional(Type.Integer()),
  reason: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  startTime: Type.Optional(timeSchema),
  completionTime: Type.Optional(timeSchema),
  templateHash: Type.Optional(Type.String()),
  nextRetryTime: Type.Optional(timeSchema),
});

const pinnedTemplateSchema = Type.Object({
  name: Type.String(),
  uid: Type.String(),
  generation: Type.Integer(),
  hash: Type.String(),
  jobTemplate: jobSpecSchema('The JobTemplate as it was when the flow started.'),
});

export const jobFlowStatusSchema = Type.Object({
  state: Type.Optional(Type.Enum([...flowStates])),
  observedGeneration: Type.Optional(Type.Integer()),
  startTime: Type.Optional(timeSchema),
  completionTime: Type.Optional(timeSchema),
  conditions: Type.Optional(Type.Array(conditionSchema)),
  jobStatusList: Type.Optional(Type.Array(jobStatusSchema)),
  pinnedTemplates: Type.Optional(Type.Array(pinnedTemplateSchema)),
  progress: Type.Optional(Type.String()),
  running: Type.Optional(Type.Integer()),
  failed: Type.Optional(Type.Integer()),
  suspended: Type.Optional(Type.Integer()),
  total: Type.Optional(Type.Integer()),
  reason: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  retryNonce: Type.Optional(Type.String()),
  flowsHash: Type.Optional(Type.String()),
});

export type FlowState = (typeof flowStates)[number];
export type StepState = (typeof stepStates)[number];
export type JobFlowStatus = DeepReadonly<Type.Static<typeof jobFlowStatusSchema>>;
/** What is known about one step: an entry of `status.jobStatusList`. */
export type JobStatus = DeepReadonly<Type.Static<typeof jobStatusSchema>>;
export type PinnedTemplate = DeepReadonly<Type.Static<typeof pinnedTemplateSchema>>;
