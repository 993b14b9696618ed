/** JobTemplate: a batch/v1 JobSpec that steps use by name. */
import Type from 'typebox';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { field } from './field.ts';
import type { KindDefinition } from './kind-definition.ts';
import { jobSpecSchema } from './preserved.ts';
import { ageColumn } from './printer-columns.ts';

const jobTemplateSpecSchema = Type.Object(
  {
    jobTemplate: jobSpecSchema(
      'The Job of every step that names this template, as batch/v1 JobSpec. A field that the API server does not know is refused at admission.',
    ),
  },
  field({ says: 'The Job of a step that refers to this template.' }),
);

export type JobTemplateSpec = DeepReadonly<Type.Static<typeof jobTemplateSpecSchema>>;

export interface JobTemplateObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: JobTemplateSpec;
}

export const jobTemplateKind: KindDefinition = {
  resource: resources.JobTemplate,
  shortNames: ['mjt'],
  says: 'A JobTemplate holds a Job that steps of flows in the same namespace refer to by name.',
  spec: jobTemplateSpecSchema,
  rules: [],
  selectableFields: [],
  columns: [
    {
      name: 'Images',
      type: 'string',
      jsonPath: '.spec.jobTemplate.template.spec.containers[*].image',
      says: 'Images of the containers',
      wide: true,
    },
    ageColumn,
  ],
};
