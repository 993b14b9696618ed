/** `spec.onResume.placement`: set on a Job when it is resumed, so that it runs where it is cheap. */
import Type from 'typebox';
import type { JsonObject } from '#shared/domain/objects.ts';
import { field } from './field.ts';

const carriedWhole = (says: string, example: string) =>
  Type.Unsafe<JsonObject>({
    type: 'object',
    ...field({ says, example }, { 'x-kubernetes-preserve-unknown-fields': true }),
  });

export const placementSchema = Type.Object(
  {
    nodeSelector: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String({ maxLength: 63 }),
        field(
          {
            says: 'Labels that a node must have, besides those that the Job itself requires.',
            example: '{pool: spot}',
          },
          { maxProperties: 32 },
        ),
      ),
    ),
    tolerations: Type.Optional(
      Type.Array(
        carriedWhole('One toleration, as core/v1 Toleration.', '{key: spot, operator: Exists}'),
        field(
          {
            says: 'Tolerations besides those of the Job itself.',
            example: '[{key: spot, operator: Exists, effect: NoSchedule}]',
          },
          { maxItems: 32 },
        ),
      ),
    ),
    nodeAffinity: Type.Optional(
      carriedWhole(
        'Node affinity for Jobs without one of their own, as core/v1 NodeAffinity.',
        '{preferredDuringSchedulingIgnoredDuringExecution: []}',
      ),
    ),
  },
  field({
    says: 'Where the Pods may run, from the resumption of the Job until it is suspended again. The API server accepts it for a Job that has never started, or whose Pods are all gone. If it refuses, the Job is resumed without a placement, and an Event reports that.',
  }),
);
