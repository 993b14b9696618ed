/**
 * Schemas of values that belong to Kubernetes. They are passed on whole, and read only where a rule needs
 * it.
 */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import Type from 'typebox';
import type { JsonObject } from '#shared/domain/objects.ts';
import { prefix } from '#shared/domain/labels.ts';
import { field, type Documentation, type FieldOptions, type Keywords } from './field.ts';
import {
  envVarSources,
  jobSpecFields,
  templateMetadataFields,
  volumeMountFields,
  volumeSources,
  type FieldType,
  type FieldTypes,
} from './kubernetes-fields.ts';
import type { EnvVar, JobSpec, PodTemplate, Volume, VolumeMount } from './pod-template.ts';

const preserve = { 'x-kubernetes-preserve-unknown-fields': true } as const;

interface RawSchema extends FieldOptions {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: RawSchema | typeof preserve;
  readonly additionalProperties?: { readonly type: 'string' };
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, RawSchema>>;
}

const text = (documentation: Documentation, keywords: Keywords = {}): RawSchema => ({
  type: 'string',
  ...field(documentation, keywords),
});
const flag = (says: string): RawSchema => ({ type: 'boolean', ...field({ says }) });
const count = (documentation: Documentation): RawSchema => ({
  type: 'integer',
  ...field(documentation, { format: 'int32', minimum: 0 }),
});

/** Fields of the Kubernetes type `of`, compared by CEL and otherwise passed on. */
function foreign(of: string, fields: FieldTypes): Record<string, RawSchema> {
  const declared = (Object.keys(fields) as FieldType[]).flatMap((type) =>
    (fields[type] ?? []).map((name) => [name, type] as const),
  );
  return Object.fromEntries(
    declared
      .sort(([left], [right]) => compareTexts(left, right))
      .map(([name, type]) => [name, foreignField(`As ${of}.${name}.`, type)]),
  );
}

function foreignField(says: string, type: FieldType): RawSchema {
  return type === 'object' ? field({ says }, preserve) : { type, ...field({ says }) };
}

const volumeName = text(
  { says: 'Name of the volume, unique within the Pod.', example: 'shared' },
  { minLength: 1, maxLength: 63 },
);

/** core/v1 EnvVar, `valueFrom` included. */
export const envVarSchema = Type.Unsafe<EnvVar>({
  type: 'object',
  required: ['name'],
  ...field(
    { says: 'One environment variable, as core/v1 EnvVar.' },
    {
      'x-millrace-rules': [
        {
          rule: "!(has(self.valueFrom) && has(self.value) && self.value != '')",
          message: 'set value or valueFrom, not both',
        },
      ],
    },
  ),
  properties: {
    name: text(
      { says: 'Name of the environment variable.', example: 'FOO' },
      { minLength: 1, maxLength: 512 },
    ),
    value: text(
      {
        says: 'Its value. $(NAME) refers to an earlier variable of the list.',
        example: 'bar',
      },
      { maxLength: 32768 },
    ),
    valueFrom: {
      type: 'object',
      ...field(
        {
          says: 'Source of the value instead, as core/v1 EnvVarSource.',
          example: '{secretKeyRef: {name: db, key: password}}',
        },
        preserve,
      ),
      properties: foreign('core/v1 EnvVarSource', envVarSources),
    },
  },
});

/** core/v1 Volume. */
export const volumeSchema = Type.Unsafe<Volume>({
  type: 'object',
  required: ['name'],
  ...field({ says: 'One volume, as core/v1 Volume: a name and one source.' }, preserve),
  properties: { name: volumeName, ...foreign('core/v1 Volume', volumeSources) },
});

/** core/v1 VolumeMount. */
export const volumeMountSchema = Type.Unsafe<VolumeMount>({
  type: 'object',
  required: ['name', 'mountPath'],
  ...field({ says: 'One mount, as core/v1 VolumeMount.' }, preserve),
  properties: {
    name: volumeName,
    mountPath: text(
      { says: 'Where the volume appears in every container.', example: '/data' },
      { minLength: 1, maxLength: 1024 },
    ),
    ...foreign('core/v1 VolumeMount', volumeMountFields),
  },
});

const stringMap = (says: string): RawSchema => ({
  type: 'object',
  additionalProperties: { type: 'string' },
  ...field({ says }, { maxProperties: 128 }),
});

/** The Pod template has no label or annotation with Millrace's prefix (rule 5). */
const templateMetadata: RawSchema = {
  type: 'object',
  ...field(
    { says: 'Labels and annotations of the Pod.' },
    {
      ...preserve,
      'x-millrace-rules': (['labels', 'annotations'] as const).map((map) => ({
        rule: `!has(self.${map}) || self.${map}.all(key, !key.startsWith('${prefix}'))`,
        message: `keys that start with ${prefix} are reserved`,
      })),
    },
  ),
  properties: {
    labels: stringMap('Labels of the Pod.'),
    annotations: stringMap('Annotations of the Pod.'),
    ...foreign('metav1 ObjectMeta', templateMetadataFields),
  },
};

const podTemplate: RawSchema = {
  type: 'object',
  required: ['spec'],
  ...field({
    says: 'The Pod that the Job runs, as core/v1 PodTemplateSpec.',
    example:
      '{spec: {containers: [{name: main, image: "busybox:1.28", command: [sh, -c, "sleep 10s"]}]}}',
  }),
  properties: {
    metadata: templateMetadata,
    // Without a type, CEL compares it as one value. A schema of its fields would double the API server's
    // work at every status write, and the Job's own validation is better anyway.
    spec: {
      required: ['containers'],
      ...field(
        {
          says: 'As core/v1 PodSpec, checked when the Job is created. Every container also gets globalParams.env and the shared mounts; restartPolicy is always replaced by Never.',
        },
        preserve,
      ),
    },
  },
};

/** core/v1 PodTemplateSpec. */
export const podTemplateSchema = (says: string) =>
  Type.Unsafe<PodTemplate>({
    ...podTemplate,
    ...field({ says, example: '{spec: {containers: [{name: main, image: "busybox:1.28"}]}}' }),
  });

/** A field of batch/v1 JobSpec that is passed on as it is, with any shape. */
export const handedOnToJob = (says: string, example: string) =>
  Type.Unsafe<JsonObject>(field({ says, example }, preserve));

/** batch/v1 JobSpec. */
export const jobSpecSchema = (says: string) =>
  Type.Unsafe<JobSpec>({
    type: 'object',
    required: ['template'],
    ...field({ says }, preserve),
    properties: {
      template: podTemplate,
      parallelism: count({ says: 'How many Pods may run at once. 1 when absent.', example: '3' }),
      completions: count({ says: 'How many Pods have to succeed.', example: '10' }),
      completionMode: {
        type: 'string',
        enum: ['NonIndexed', 'Indexed'],
        ...field({ says: 'Whether each Pod gets an index of its own, as in batch/v1.' }),
      },
      backoffLimit: count({
        says: 'How many failed Pods the Job replaces. 0 when absent (Kubernetes alone would take 6): retries of a step belong to retryPolicy.',
        example: '2',
      }),
      backoffLimitPerIndex: count({ says: 'The same limit for each index of an Indexed Job.' }),
      maxFailedIndexes: count({ says: 'How many indexes may fail before the whole Job fails.' }),
      activeDeadlineSeconds: count({
        says: 'How long the Job may be active before it fails.',
        unit: 'seconds',
        example: '600',
      }),
      ttlSecondsAfterFinished: count({
        says: 'How long the finished Job is kept. Set on the Job only after its result is recorded in the status of the flow.',
        unit: 'seconds',
        example: '3600',
      }),
      suspend: flag('A manual gate: the Job is created suspended and Millrace never resumes it.'),
      ...foreign('batch/v1 JobSpec', jobSpecFields),
    },
  });
