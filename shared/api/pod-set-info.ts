/** `spec.podSetInfos`: where the Pods of a flow that Kueue has admitted run. */
import Type from 'typebox';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { field } from './field.ts';

const texts = (says: string, example: string) =>
  Type.Optional(
    Type.Record(
      Type.String(),
      Type.String({ maxLength: 4096 }),
      field({ says, example }, { maxProperties: 64 }),
    ),
  );

const carriedWhole = (says: string, example: string) =>
  Type.Unsafe<JsonObject>({
    type: 'object',
    ...field({ says, example }, { 'x-kubernetes-preserve-unknown-fields': true }),
  });

const podSetInfoSchema = Type.Object(
  {
    name: Type.String(
      field(
        {
          says: 'Name of the podSet in the Workload: the name of its first step.',
          example: 'job1',
        },
        { minLength: 1, maxLength: 63 },
      ),
    ),
    labels: texts('Labels that the Pods get.', '{kueue.x-k8s.io/podset: job1}'),
    annotations: texts(
      'Annotations that the Pods get.',
      '{kueue.x-k8s.io/workload: jobflow-etl-1}',
    ),
    nodeSelector: texts('Labels that a node has to have.', '{pool: spot}'),
    tolerations: Type.Optional(
      Type.Array(
        carriedWhole('One toleration, as core/v1 Toleration.', '{key: spot, operator: Exists}'),
        field(
          { says: 'Tolerations that the Pods get.', example: '[{key: spot, operator: Exists}]' },
          { maxItems: 64 },
        ),
      ),
    ),
    schedulingGates: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String(
              field(
                { says: 'Name of the gate.', example: 'kueue.x-k8s.io/topology' },
                {
                  minLength: 1,
                  maxLength: 317,
                },
              ),
            ),
          },
          field({ says: 'One gate, as core/v1 PodSchedulingGate.' }),
        ),
        field(
          {
            says: 'Gates that Kueue opens once it knows the place of each Pod.',
            example: '[{name: kueue.x-k8s.io/topology}]',
          },
          { maxItems: 8 },
        ),
      ),
    ),
  },
  field({ says: 'What Kueue has assigned to the Pods of one podSet.' }),
);

export type PodSetInfo = DeepReadonly<Type.Static<typeof podSetInfoSchema>>;

/** Of a Workload (kueue.x-k8s.io/v1beta2). */
export const mostPodSets = 18;

export const podSetInfosSchema = Type.Array(
  podSetInfoSchema,
  field(
    {
      says: 'Written by Millrace when Kueue admits the flow, and removed when the admission ends: what the Pods of each podSet get besides what their steps say. A flow without the label kueue.x-k8s.io/queue-name has none.',
      example: '[{name: job1, nodeSelector: {pool: spot}}]',
    },
    { maxItems: mostPodSets },
  ),
);
