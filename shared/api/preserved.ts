/** Schemas of values that belong to Kubernetes: kept whole, looked into only where a rule needs it. */
import Type from 'typebox';
import { field } from './field.ts';
import type { EnvVar, JobSpec, Volume, VolumeMount } from './pod-template.ts';

const preserve = { 'x-kubernetes-preserve-unknown-fields': true } as const;

/** core/v1 EnvVar, `valueFrom` included. */
export const envVarSchema = Type.Unsafe<EnvVar>({
  type: 'object',
  required: ['name'],
  properties: {
    name: Type.String(
      field(
        { says: 'Name of the environment variable.', example: 'FOO' },
        { minLength: 1, maxLength: 512 },
      ),
    ),
    value: Type.String(
      field(
        {
          says: 'Its value. $(NAME) refers to a variable that stands earlier in the list.',
          example: 'bar',
        },
        { maxLength: 32768 },
      ),
    ),
    valueFrom: {
      type: 'object',
      ...field(
        {
          says: 'Where the value comes from instead, as in core/v1 EnvVar: secretKeyRef, configMapKeyRef, fieldRef, resourceFieldRef.',
          example: '{secretKeyRef: {name: db, key: password}}',
        },
        preserve,
      ),
    },
  },
});

/** core/v1 Volume. */
export const volumeSchema = Type.Unsafe<Volume>({
  type: 'object',
  required: ['name'],
  ...preserve,
  properties: {
    name: Type.String(
      field(
        { says: 'Name of the volume, unique within the Pod.', example: 'shared' },
        { minLength: 1, maxLength: 63 },
      ),
    ),
  },
});

/** core/v1 VolumeMount. */
export const volumeMountSchema = Type.Unsafe<VolumeMount>({
  type: 'object',
  required: ['name', 'mountPath'],
  ...preserve,
  properties: {
    name: Type.String(
      field(
        { says: 'Name of the volume that is mounted.', example: 'shared' },
        { minLength: 1, maxLength: 63 },
      ),
    ),
    mountPath: Type.String(
      field(
        { says: 'Where it appears in the container.', example: '/data' },
        { minLength: 1, maxLength: 4096 },
      ),
    ),
  },
});

/** batch/v1 JobSpec. */
export const jobSpecSchema = (says: string) =>
  Type.Unsafe<JobSpec>({
    type: 'object',
    required: ['template'],
    ...field({ says }, preserve),
    properties: {
      template: {
        type: 'object',
        required: ['spec'],
        ...field(
          {
            says: 'The Pod that the Job runs, as core/v1 PodTemplateSpec. restartPolicy is always set to Never.',
            example:
              '{spec: {containers: [{name: main, image: "busybox:1.28", command: [sh, -c, "sleep 10s"]}]}}',
          },
          preserve,
        ),
      },
    },
  });
