/** One step of a flow: an entry of `spec.flows`. */
import Type from 'typebox';
import type { DeepReadonly } from './deep-readonly.ts';
import { field, type CelRule, type Keywords } from './field.ts';
import { jobFlowDefaults } from './job-flow-defaults.ts';
import { jobSpecSchema, volumeMountSchema, volumeSchema } from './preserved.ts';

/** A DNS-1123 label; equal in Go and JavaScript. */
export const dnsLabelPattern = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
/** A DNS-1123 subdomain, as names of most Kubernetes objects. */
export const dnsSubdomainPattern =
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
/** The suffix for later attempts in the name of a step's Job. */
export const attemptSuffixPattern = '-r[0-9]+$';

export const maxSteps = 5_000;
/** Limit over all steps together. */
export const maxDependencies = 20_000;
const maxVolumes = 32;

const nameRules: readonly CelRule[] = [
  {
    rule: `self.matches('${dnsLabelPattern}')`,
    messageExpression:
      '"step name \\"" + self + "\\" is not a DNS-1123 label: lower-case letters, digits and dashes, starting and ending with a letter or digit"',
    message: 'a step name is a DNS-1123 label',
  },
  {
    rule: `!self.matches('${attemptSuffixPattern}')`,
    messageExpression:
      '"step name \\"" + self + "\\" ends in -r and digits, which is kept for the Jobs of later attempts"',
    message: 'a step name does not end in -r and digits',
  },
];

const stepRules: readonly CelRule[] = [
  {
    rule: 'has(self.jobTemplate) != has(self.jobTemplateRef)',
    messageExpression:
      '"step \\"" + self.name + "\\" needs exactly one of jobTemplate and jobTemplateRef, found " + (has(self.jobTemplate) ? "both" : "neither")',
    message: 'exactly one of jobTemplate and jobTemplateRef',
  },
  {
    rule: '!has(self.dependencies) || !(self.name in self.dependencies)',
    messageExpression: '"step \\"" + self.name + "\\" depends on itself"',
    message: 'a step does not depend on itself',
  },
];

const volumeList = (says: string): [Documentation: { says: string; example: string }, Keywords] => [
  { says, example: '[{name: shared, persistentVolumeClaim: {claimName: data}}]' },
  {
    maxItems: maxVolumes,
    'x-millrace-unique': ['name'],
  },
];

export const shareVolumesSchema = (says: string) =>
  Type.Array(volumeSchema, field(...volumeList(says)));

export const shareVolumeMountsSchema = (says: string) =>
  Type.Array(
    volumeMountSchema,
    field(
      { says, example: '[{name: shared, mountPath: /data}]' },
      {
        maxItems: maxVolumes,
        'x-millrace-unique': ['mountPath'],
      },
    ),
  );

const retry = jobFlowDefaults.retryPolicy;

export const retryPolicySchema = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer(
        field(
          {
            says: 'How often a failed step is tried again, each time with a new Job named <flow>-<step>-r<n>; failed Jobs are kept for their logs. A failure by a FailJob rule in the podFailurePolicy of its template is not retried.',
            unit: 'attempts after the first',
            absentMeans: retry.limit,
            example: '3',
          },
          { minimum: 0, maximum: 99, format: 'int32' },
        ),
      ),
    ),
    backoffSeconds: Type.Optional(
      Type.Integer(
        field(
          {
            says: 'Wait before the first retry.',
            unit: 'seconds',
            absentMeans: retry.backoffSeconds,
            example: '30',
          },
          { minimum: 0, maximum: 86400, format: 'int32' },
        ),
      ),
    ),
    factor: Type.Optional(
      Type.Integer(
        field(
          {
            says: 'Factor by which each wait is longer than the one before. 1 keeps them equal.',
            absentMeans: retry.factor,
            example: '2',
          },
          { minimum: 1, maximum: 10, format: 'int32' },
        ),
      ),
    ),
    capSeconds: Type.Optional(
      Type.Integer(
        field(
          {
            says: 'The longest wait.',
            unit: 'seconds',
            absentMeans: retry.capSeconds,
            example: '600',
          },
          { minimum: 0, maximum: 86400, format: 'int32' },
        ),
      ),
    ),
  },
  field({
    says: 'What happens when the Job of this step fails. Without it a failed step stays failed.',
    example: '{limit: 3, backoffSeconds: 30}',
  }),
);

export const flowStepSchema = Type.Object(
  {
    name: Type.String(
      field(
        {
          says: 'Name of the step, unique within the flow. Its Job is named <flow>-<step>, so flow and step together have at most 58 characters.',
          example: 'job1',
        },
        { minLength: 1, maxLength: 63, 'x-millrace-rules': nameRules },
      ),
    ),
    dependencies: Type.Optional(
      Type.Array(
        Type.String({ minLength: 1, maxLength: 63 }),
        field(
          {
            says: 'Names of the steps that must succeed before this one starts. An empty list is the same as none.',
            example: '[job1, job2]',
          },
          { maxItems: maxSteps, 'x-millrace-unique': [] },
        ),
      ),
    ),
    jobTemplate: Type.Optional(
      jobSpecSchema(
        'The Job of this step, as batch/v1 JobSpec. Either this or jobTemplateRef, never both. Without podFailurePolicy a Pod that is evicted, drained or preempted does not count as failed and is replaced, unless podReplacementPolicy is TerminatingOrFailed. A field that the API server does not know is refused at admission.',
      ),
    ),
    jobTemplateRef: Type.Optional(
      Type.String(
        field(
          {
            says: 'Name of a JobTemplate in the same namespace that holds the Job of this step. Either this or jobTemplate, never both.',
            example: 'job1-template',
          },
          { minLength: 1, maxLength: 253, pattern: dnsSubdomainPattern },
        ),
      ),
    ),
    shareVolumes: Type.Optional(
      shareVolumesSchema('Volumes that are added to the Pods of this step.'),
    ),
    shareVolumeMounts: Type.Optional(
      shareVolumeMountsSchema('Mounts that are added to every container of this step.'),
    ),
    retryPolicy: Type.Optional(retryPolicySchema),
    startOn: Type.Optional(
      Type.Enum(
        ['Complete', 'SuccessCriteriaMet'],
        field({
          says: 'The condition of the Jobs of its dependencies with which this step starts. Complete: their Pods are gone, and volumes and quota are free. SuccessCriteriaMet: their success is certain, but Pods may still be terminating.',
          absentMeans: jobFlowDefaults.startOn,
          example: 'Complete',
        }),
      ),
    ),
  },
  field({ says: 'One step: a Job and its dependencies.' }, { 'x-millrace-rules': stepRules }),
);

/** One step: an entry of `spec.flows`. */
export type FlowStep = DeepReadonly<Type.Static<typeof flowStepSchema>>;
