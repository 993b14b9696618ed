/** `spec.podSetInfos`: placement of the Pods that Kueue has admitted. */
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

const nameOf = (says: string, example: string) =>
  Type.String(field({ says, example }, { minLength: 1, maxLength: 63 }));

const assigned = {
  labels: texts('Labels that the Pods get.', '{kueue.x-k8s.io/podset: job1}'),
  annotations: texts('Annotations that the Pods get.', '{kueue.x-k8s.io/workload: jobflow-etl-1}'),
  nodeSelector: texts('Labels that a node must have.', '{pool: spot}'),
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
} as const;

const says = 'What Kueue has assigned to the Pods of one podSet.';

const flowPodSetInfoSchema = Type.Object(
  {
    name: nameOf('Name of the podSet in the Workload: the name of its first step.', 'job1'),
    ...assigned,
  },
  field({ says }),
);

const daemonPodSetInfoSchema = Type.Object(
  {
    name: nameOf('Name of the podSet in the Workload.', 'nodes'),
    count: Type.Optional(
      Type.Integer(
        field(
          {
            says: 'On how many nodes Kueue lets it run; nodes that come later are skipped.',
            example: '5',
          },
          { minimum: 0, maximum: 2147483647, format: 'int32' },
        ),
      ),
    ),
    ...assigned,
  },
  field({ says }),
);

export type PodSetInfo = DeepReadonly<Type.Static<typeof flowPodSetInfoSchema>>;

/** The limit of a Workload (kueue.x-k8s.io/v1beta2). */
export const mostPodSets = 18;

export const flowPodSetInfosSchema = Type.Array(
  flowPodSetInfoSchema,
  field(
    {
      says: 'Written by Millrace when Kueue admits the flow, and removed when the admission ends: what the Pods of each podSet get besides what their steps say. A flow without the label kueue.x-k8s.io/queue-name has none.',
      example: '[{name: job1, nodeSelector: {pool: spot}}]',
    },
    { maxItems: mostPodSets },
  ),
);

export const daemonPodSetInfosSchema = Type.Array(
  daemonPodSetInfoSchema,
  field(
    {
      says: 'Written by Millrace when Kueue admits the DaemonJob, and removed when the admission ends: on how many nodes it runs, and what its Pods get besides what the template says. A DaemonJob without the label kueue.x-k8s.io/queue-name has none.',
      example: '[{name: nodes, count: 5, nodeSelector: {pool: spot}}]',
    },
    { maxItems: 1 },
  ),
);
