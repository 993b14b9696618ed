/**
 * The kinds whose Pods Millrace can infer: where each Pod template is and how many Pods it makes. For a new kind, add
 * a record here. For any other kind the author declares the podSets.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { podSetAnnotations } from '#shared/domain/wrapper-keys.ts';
import {
  field,
  lessOne,
  memberAt,
  numberOrOne,
  one,
  type PodCount,
  podsOfJob,
  times,
  where,
} from './pod-count.ts';

export interface WrappedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly podSets: readonly PodSetPlace[];
  /**
   * The original does not know the kind. So authors had to declare podSets, and declared ones count even if they
   * differ. Absent: declared podSets must equal the inferred ones.
   */
  readonly mayDiffer?: true;
  /** A warning for the author. */
  readonly remark?: (resource: JsonObject) => string | undefined;
}

/** The source of a group of equal Pods. */
export interface PodSetPlace {
  /** Path of the part that has the number of Pods; `[]` stands for each entry of a list. */
  readonly part: string;
  /** Path from the part to the Pod template. Empty: the part is one. */
  readonly template: string;
  readonly count: PodCount;
  /** Path from the part to a required field: without it there are no such Pods. Absent: a template is required. */
  readonly onlyWith?: string;
  /** The podSet's annotations about topology (wrapper-keys.ts). */
  readonly annotations?: (part: JsonObject) => Readonly<Record<string, string>>;
}

const { podIndexLabel, subGroupIndexLabel, subGroupCount } = podSetAnnotations;
const completionIndex = 'batch.kubernetes.io/job-completion-index';

/** Pods of a Ray cluster's head and of its groups of workers. `spec`: path of the cluster's spec. */
const ofRay = (spec: string): Pick<WrappedKind, 'podSets' | 'remark'> => ({
  podSets: [
    { part: `${spec}.headGroupSpec`, template: 'template', count: one },
    {
      part: `${spec}.workerGroupSpecs[]`,
      ...{ template: 'template', onlyWith: 'template', count: field('replicas') },
    },
  ],
  remark: (resource) =>
    memberAt({ template: resource }, `${spec}.enableInTreeAutoscaling`) === true
      ? 'the autoscaler of Ray may create Pods for which there is no quota'
      : undefined,
});

const pytorchPods = (role: string): PodSetPlace => ({
  part: `template.spec.pytorchReplicaSpecs.${role}`,
  ...{ template: 'template', onlyWith: 'template' },
  count: field('replicas'),
  annotations: () => ({ [podIndexLabel]: 'training.kubeflow.org/replica-index' }),
});

const inSpec = { part: 'template.spec', template: 'template' } as const;
const size = field('leaderWorkerTemplate.size');

export const wrappedKinds: readonly WrappedKind[] = [
  { apiVersion: 'v1', kind: 'Pod', podSets: [{ part: 'template', template: '', count: one }] },
  ...['Deployment', 'StatefulSet'].map((kind) => ({
    ...{ apiVersion: 'apps/v1', kind },
    podSets: [{ ...inSpec, onlyWith: 'template', count: field('replicas') }],
  })),
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    podSets: [
      {
        part: 'template',
        template: 'spec.template',
        count: podsOfJob('spec'),
        annotations: () => ({ [podIndexLabel]: completionIndex }),
      },
    ],
  },
  {
    apiVersion: 'jobset.x-k8s.io/v1alpha2',
    kind: 'JobSet',
    podSets: [
      {
        part: 'template.spec.replicatedJobs[]',
        template: 'template.spec.template',
        onlyWith: 'template',
        count: times(field('replicas'), podsOfJob('template.spec')),
        annotations: (job) => ({
          [podIndexLabel]: completionIndex,
          [subGroupIndexLabel]: 'jobset.sigs.k8s.io/job-index',
          [subGroupCount]: String(numberOrOne('replicas')(job)),
        }),
      },
    ],
  },
  {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    podSets: [pytorchPods('Master'), pytorchPods('Worker')],
  },
  { apiVersion: 'ray.io/v1', kind: 'RayCluster', ...ofRay('template.spec') },
  { apiVersion: 'ray.io/v1', kind: 'RayJob', ...ofRay('template.spec.rayClusterSpec') },
  {
    // A podSet's path cannot lead into another object.
    apiVersion: 'trainer.kubeflow.org/v1alpha1',
    kind: 'TrainJob',
    mayDiffer: true,
    podSets: [],
    remark: () =>
      'the Pod templates of a TrainJob are in its runtime, so no quota is held for its Pods; wrap the JobSet that the runtime describes, or give the TrainJob a queue of its own',
  },
  {
    // A group is a leader and size - 1 workers. Without a leader template, all of them are workers.
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    mayDiffer: true,
    podSets: [
      {
        part: 'template.spec',
        template: 'leaderWorkerTemplate.leaderTemplate',
        onlyWith: 'leaderWorkerTemplate.leaderTemplate',
        count: field('replicas'),
      },
      {
        part: 'template.spec',
        template: 'leaderWorkerTemplate.workerTemplate',
        count: times(
          field('replicas'),
          where('leaderWorkerTemplate.leaderTemplate', lessOne(size), size),
        ),
      },
    ],
  },
  {
    // Steps may run one after another; this is their demand if all run at once.
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    mayDiffer: true,
    podSets: [
      {
        part: 'template.spec.flows[]',
        template: 'jobTemplate.template',
        count: (step, path) =>
          memberAt(step, 'jobTemplateRef') === undefined
            ? podsOfJob('jobTemplate')(step, path)
            : {
                fault: `at path position '${path}.jobTemplateRef' the Pods of a JobTemplate are not known; write its template into the step (jobTemplate)`,
              },
      },
    ],
  },
  {
    // It runs on `parallelism` nodes at once; the number of nodes is unknown.
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'DaemonJob',
    mayDiffer: true,
    podSets: [
      {
        ...inSpec,
        count: (spec, path) =>
          Number.isInteger(spec['parallelism'])
            ? (spec['parallelism'] as number)
            : {
                fault: `at path position '${path}.parallelism' no number of Pods: how many nodes there are is not known; give parallelism a number, or declare podSets`,
              },
      },
    ],
  },
];
