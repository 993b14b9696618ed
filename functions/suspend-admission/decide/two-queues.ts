/**
 * What waits in a queue as a whole has no steps that wait in one by themselves: they would take up the quota a
 * second time, or never be admitted while the whole holds it.
 */
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { queueLabel, queueOf } from '#shared/domain/queue-labels.ts';
import { type FieldError, forbidden } from '#shared/domain/field-error.ts';

export function twoQueuesErrors(object: JsonObject | undefined): readonly FieldError[] {
  if (queueOf(object) === '') return [];
  const { globalParams, flows, template } = fieldsOf(object?.['spec']);
  const places: readonly (readonly [path: string, labels: Json | undefined])[] = [
    ['spec.globalParams.labels', fieldsOf(globalParams)['labels']],
    ['spec.template.metadata.labels', fieldsOf(fieldsOf(template)['metadata'])['labels']],
    ...listOf(flows).map((step, index) => {
      const path = `spec.flows[${index}].jobTemplate.template.metadata.labels`;
      return [path, podLabelsOf(fieldsOf(fieldsOf(step)['jobTemplate']))] as const;
    }),
  ];
  return places
    .filter(([, labels]) => queueLabel in fieldsOf(labels))
    .map(([path]) =>
      forbidden(
        `${path}[${queueLabel}]`,
        'metadata.labels has it: either the whole waits, or its parts',
      ),
    );
}

function podLabelsOf(job: JsonObject): Json | undefined {
  return fieldsOf(fieldsOf(job['template'])['metadata'])['labels'];
}
