import { expect, it } from 'vitest';
import { usualKinds } from './usual-kinds.ts';

it('the kinds that are mostly wrapped are called as their projects publish them', () => {
  const names = usualKinds.map(({ group, version, plural, kind }) =>
    [group, version, plural, kind].join(' '),
  );
  expect(names).toEqual([
    ' v1 services Service',
    'apps v1 deployments Deployment',
    'apps v1 statefulsets StatefulSet',
    'jobset.x-k8s.io v1alpha2 jobsets JobSet',
    'kubeflow.org v1 pytorchjobs PyTorchJob',
    'leaderworkerset.x-k8s.io v1 leaderworkersets LeaderWorkerSet',
    'ray.io v1 rayclusters RayCluster',
    'ray.io v1 rayjobs RayJob',
    'scheduling.x-k8s.io v1alpha1 podgroups PodGroup',
    'trainer.kubeflow.org v1alpha1 trainjobs TrainJob',
  ]);
  expect(usualKinds.filter(({ namespaced }) => !namespaced)).toEqual([]);
});
