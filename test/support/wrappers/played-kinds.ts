/**
 * Kinds that AppWrappers usually wrap and the test cluster lacks. Each has its definition, an object, and its
 * operator's children. The children use the object's templates with Millrace's additions.
 */
import { usualKinds } from '#shared/api/wrapped/usual-kinds.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { work } from '../flow-world.ts';
import { untilEnded } from '../flows/flow-manifest.ts';

const { template } = work({ runFor: untilEnded, pod: { restartPolicy: 'Never' } });

export interface PlayedKind {
  readonly resource: Resource;
  /** Metadata besides its name. */
  readonly metadata?: object;
  readonly spec: object;
  /** The operator's children for the stored spec. */
  readonly children: (stored: StoredObject) => readonly object[];
  readonly pods: number;
  /** Parts of its status at its end. Absent: it never reports one. */
  readonly ends?: { readonly success: object; readonly failure: object };
}

export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: object;
}

const ofKind = (kind: string): Resource => {
  const found = usualKinds.find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`${kind} is not usual`);
  return found;
};

const condition = (type: string) => ({
  conditions: [{ type, status: 'True', reason: type, message: `it is ${type}` }],
});

function owned({ apiVersion, kind, metadata: { name, uid } }: StoredObject, suffix: string) {
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return { name: `${name}-${suffix}`, ownerReferences: [owner] };
}

interface Template {
  readonly metadata?: object;
  readonly spec: object;
}

function podsOf(
  stored: StoredObject,
  role: string,
  replicas: number,
  { metadata, spec }: Template,
) {
  return Array.from({ length: replicas }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, ...owned(stored, `${role}-${index}`) },
    spec,
  }));
}

interface RayClusterSpec {
  readonly headGroupSpec: { readonly template: Template };
  readonly workerGroupSpecs: readonly { readonly replicas: number; readonly template: Template }[];
}

const rayCluster: RayClusterSpec = {
  headGroupSpec: { template },
  workerGroupSpecs: [{ ...{ groupName: 'small', replicas: 2 }, template }],
};

const rayPods = (stored: StoredObject, { headGroupSpec, workerGroupSpecs }: RayClusterSpec) => [
  ...podsOf(stored, 'head', 1, headGroupSpec.template),
  ...workerGroupSpecs.flatMap((group, index) =>
    podsOf(stored, `worker-${index}`, group.replicas, group.template),
  ),
];

interface ReplicatedJob {
  readonly name: string;
  readonly replicas: number;
  readonly template: { readonly metadata?: object; readonly spec: object };
}

export const playedKinds: readonly PlayedKind[] = [
  {
    resource: ofKind('PyTorchJob'),
    spec: {
      pytorchReplicaSpecs: { Master: { replicas: 1, template }, Worker: { replicas: 2, template } },
    },
    children: (stored) => {
      const { pytorchReplicaSpecs: roles } = stored.spec as {
        readonly pytorchReplicaSpecs: Readonly<
          Record<string, { readonly replicas: number; readonly template: Template }>
        >;
      };
      return Object.entries(roles).flatMap(([role, { replicas, template: own }]) =>
        podsOf(stored, role.toLowerCase(), replicas, own),
      );
    },
    pods: 3,
    ends: { success: condition('Succeeded'), failure: condition('Failed') },
  },
  {
    resource: ofKind('JobSet'),
    spec: {
      replicatedJobs: [
        { name: 'workers', replicas: 2, template: { spec: { backoffLimit: 0, template } } },
        { name: 'driver', replicas: 1, template: { spec: { backoffLimit: 0, template } } },
      ],
    },
    // Its Jobs are real ones.
    children: (stored) => {
      const { replicatedJobs } = stored.spec as {
        readonly replicatedJobs: readonly ReplicatedJob[];
      };
      return replicatedJobs.flatMap(({ name, replicas, template: { metadata, spec } }) =>
        Array.from({ length: replicas }, (_, index) => ({
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { ...metadata, ...owned(stored, `${name}-${index}`) },
          spec,
        })),
      );
    },
    pods: 3,
    ends: { success: condition('Completed'), failure: condition('Failed') },
  },
  {
    resource: ofKind('RayJob'),
    spec: { rayClusterSpec: rayCluster },
    children: (stored) => {
      const { rayClusterSpec } = stored.spec as { readonly rayClusterSpec: RayClusterSpec };
      return rayPods(stored, rayClusterSpec);
    },
    pods: 3,
    ends: {
      success: { jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' },
      failure: { jobStatus: 'FAILED', jobDeploymentStatus: 'Failed', message: 'no driver' },
    },
  },
  {
    resource: ofKind('RayCluster'),
    spec: rayCluster,
    children: (stored) => rayPods(stored, stored.spec as RayClusterSpec),
    pods: 3,
  },
  {
    resource: ofKind('LeaderWorkerSet'),
    spec: {
      replicas: 1,
      leaderWorkerTemplate: { size: 3, leaderTemplate: template, workerTemplate: template },
    },
    children: (stored) => {
      const { leaderWorkerTemplate: group } = stored.spec as {
        readonly leaderWorkerTemplate: Readonly<
          Record<'leaderTemplate' | 'workerTemplate', Template>
        >;
      };
      return [
        ...podsOf(stored, 'leader', 1, group.leaderTemplate),
        ...podsOf(stored, 'worker', 2, group.workerTemplate),
      ];
    },
    pods: 3,
  },
];

/** Accepts every object of the kind, and has a status subresource, as its operator's definition does. */
export function definitionOf({ group, version, plural, kind }: Resource): object {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const served = { name: version, served: true, storage: true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests only' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, listKind: `${kind}List`, singular: kind.toLowerCase() },
      versions: [{ ...served, subresources: { status: {} }, schema: { openAPIV3Schema } }],
    },
  };
}
