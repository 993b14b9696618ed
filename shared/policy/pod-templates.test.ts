import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { defaultPolicy } from './pod-policy.ts';
import { breachesIn } from './pod-templates.ts';

const onHost = { containers: [{ name: 'main' }], hostNetwork: true };
const template = { metadata: { finalizers: ['a.b/c'] }, spec: onHost };
const pathsIn = (object: JsonObject) => breachesIn(object, defaultPolicy).map(({ path }) => path);
const object = (apiVersion: string, kind: string, spec: JsonObject): JsonObject => ({
  ...{ apiVersion, kind, metadata: { name: 'a' } },
  spec,
});

describe('policy sees the Pods', () => {
  it.each([
    [
      'of a Job',
      object('batch/v1', 'Job', { template: { spec: onHost } }),
      ['spec.template.spec.hostNetwork'],
    ],
    ['of a Pod', object('v1', 'Pod', onHost), ['spec.hostNetwork']],
    [
      'of a CronJob',
      object('batch/v1', 'CronJob', { jobTemplate: { spec: { template: { spec: onHost } } } }),
      ['spec.jobTemplate.spec.template.spec.hostNetwork'],
    ],
    [
      'of a Job of another group',
      object('batch.volcano.sh/v1alpha1', 'Job', { tasks: [{ template: { spec: onHost } }] }),
      ['spec.tasks[0].template.spec.hostNetwork'],
    ],
    [
      'of each Job of a JobSet',
      object('jobset.x-k8s.io/v1alpha2', 'JobSet', {
        replicatedJobs: [{}, { template: { spec: { template } } }],
      }),
      [
        'spec.replicatedJobs[1].template.spec.template.spec.hostNetwork',
        'spec.replicatedJobs[1].template.spec.template.metadata.finalizers',
      ],
    ],
    [
      'of a PyTorchJob',
      object('kubeflow.org/v1', 'PyTorchJob', {
        pytorchReplicaSpecs: { Worker: { template: { spec: onHost } } },
      }),
      ['spec.pytorchReplicaSpecs.Worker.template.spec.hostNetwork'],
    ],
    [
      'of a kind that keeps their spec under a name of its own',
      object('example.com/v1', 'Gadget', { podSpec: onHost }),
      ['spec.podSpec.hostNetwork'],
    ],
  ])('%s', (_, made, paths) => {
    expect(pathsIn(made).toSorted()).toEqual(paths.toSorted());
  });

  it('of no Workload, which only describes to Kueue Pods that others make', () => {
    const podSets = [{ name: 'main', template }];
    expect(pathsIn(object('kueue.x-k8s.io/v1beta2', 'Workload', { podSets }))).toEqual([]);
  });

  it('of nothing that has no containers', () => {
    expect(pathsIn(object('v1', 'Service', { hostNetwork: true, containers: 1 }))).toEqual([]);
    expect(pathsIn({ apiVersion: 'v1', kind: 'ConfigMap', data: { spec: 'x' } })).toEqual([]);
  });
});
