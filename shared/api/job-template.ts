/** JobTemplate: a batch/v1 JobSpec that several steps share by name. */
import Type from 'typebox';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { field } from './field.ts';
import { jobSpecSchema } from './preserved.ts';

export { type JobSpec } from './pod-template.ts';

export const jobTemplateSpecSchema = Type.Object(
  {
    jobTemplate: jobSpecSchema(
      'The Job that a step runs which names this template, as batch/v1 JobSpec.',
    ),
  },
  field({ says: 'What a step runs that refers to this template.' }),
);

export type JobTemplateSpec = DeepReadonly<Type.Static<typeof jobTemplateSpecSchema>>;

export interface JobTemplateObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: JobTemplateSpec;
}
