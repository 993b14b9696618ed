/** The kinds that are usually wrapped, as the original controller may create them. */
import type { Resource } from '#shared/domain/objects.ts';

const of = (group: string, version: string, plural: string, kind: string): Resource => ({
  ...{ group, version, plural, kind },
  namespaced: true,
});

export const usualKinds: readonly Resource[] = [
  of('', 'v1', 'services', 'Service'),
  of('apps', 'v1', 'deployments', 'Deployment'),
  of('apps', 'v1', 'statefulsets', 'StatefulSet'),
  of('jobset.x-k8s.io', 'v1alpha2', 'jobsets', 'JobSet'),
  of('kubeflow.org', 'v1', 'pytorchjobs', 'PyTorchJob'),
  of('leaderworkerset.x-k8s.io', 'v1', 'leaderworkersets', 'LeaderWorkerSet'),
  of('ray.io', 'v1', 'rayclusters', 'RayCluster'),
  of('ray.io', 'v1', 'rayjobs', 'RayJob'),
  of('scheduling.x-k8s.io', 'v1alpha1', 'podgroups', 'PodGroup'),
  of('trainer.kubeflow.org', 'v1alpha1', 'trainjobs', 'TrainJob'),
];
