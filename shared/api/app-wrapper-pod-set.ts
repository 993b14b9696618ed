/** A group of equal Pods of a component, and Kueue's assignment for them. */
import Type from 'typebox';
import type { DeepReadonly } from './deep-readonly.ts';
import { field } from './field.ts';

export const stringMap = (says: string, example: string) =>
  Type.Record(Type.String(), Type.String(), field({ says, example }));

export const podSetSchema = Type.Object(
  {
    path: Type.String(
      field({
        says: 'Path of the Pod template in the component: `template`, then fields as .NAME and list entries as [INDEX].',
        example: 'template.spec.template',
      }),
    ),
    replicas: Type.Optional(
      Type.Integer(
        field(
          { says: 'How many Pods there are.', absentMeans: 1, example: '2' },
          { format: 'int32' },
        ),
      ),
    ),
    annotations: Type.Optional(
      stringMap(
        'How Kueue numbers the Pods for placement by topology: the keys that begin with workload.codeflare.dev.appwrapper/tas-.',
        '{workload.codeflare.dev.appwrapper/tas-pod-index-label: batch.kubernetes.io/job-completion-index}',
      ),
    ),
  },
  field({ says: 'A set of equal Pods.' }),
);

/** A group of equal Pods of a component. */
export type AppWrapperPodSet = DeepReadonly<Type.Static<typeof podSetSchema>>;

const tolerationSchema = Type.Object(
  {
    key: Type.Optional(Type.String(field({ says: 'As core/v1 Toleration.key.' }))),
    operator: Type.Optional(Type.String(field({ says: 'As core/v1 Toleration.operator.' }))),
    value: Type.Optional(Type.String(field({ says: 'As core/v1 Toleration.value.' }))),
    effect: Type.Optional(Type.String(field({ says: 'As core/v1 Toleration.effect.' }))),
    tolerationSeconds: Type.Optional(
      Type.Integer(
        field(
          { says: 'As core/v1 Toleration.tolerationSeconds.', unit: 'seconds' },
          { format: 'int64' },
        ),
      ),
    ),
  },
  field({ says: 'One toleration, as core/v1 Toleration.' }),
);

const gateSchema = Type.Object(
  { name: Type.String(field({ says: 'Name of the gate.', example: 'kueue.x-k8s.io/topology' })) },
  field({ says: 'One gate, as core/v1 PodSchedulingGate.' }),
);

export const componentPodSetInfoSchema = Type.Object(
  {
    annotations: Type.Optional(
      stringMap('Annotations that the Pods get.', '{kueue.x-k8s.io/workload: appwrapper-sample-1}'),
    ),
    labels: Type.Optional(
      stringMap('Labels that the Pods get.', '{kueue.x-k8s.io/podset: sample-0}'),
    ),
    nodeSelector: Type.Optional(stringMap('Labels that a node must have.', '{pool: spot}')),
    tolerations: Type.Optional(
      Type.Array(
        tolerationSchema,
        field({
          says: 'Tolerations that the Pods get.',
          example: '[{key: spot, operator: Exists}]',
        }),
      ),
    ),
    schedulingGates: Type.Optional(
      Type.Array(
        gateSchema,
        field({
          says: 'Gates that Kueue opens once it knows the place of each Pod.',
          example: '[{name: kueue.x-k8s.io/topology}]',
        }),
      ),
    ),
  },
  field({ says: 'What Kueue has assigned to the Pods of one podSet.' }),
);

/** Kueue's assignment for the Pods of one podSet. */
export type ComponentPodSetInfo = DeepReadonly<Type.Static<typeof componentPodSetInfoSchema>>;
