import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { WrappedResource } from '../app-wrapper.ts';
import { inferPodSets, podSetsOf } from './pod-sets.ts';

const pod = { spec: { containers: [{ name: 'main', image: 'busybox:1.28' }] } };
const of = (apiVersion: string, kind: string, spec: object) =>
  ({ apiVersion, kind, metadata: { name: 'a' }, spec }) as unknown as WrappedResource;
const deployment = (spec: object) => of('apps/v1', 'Deployment', { template: pod, ...spec });
const job = (spec: object) => of('batch/v1', 'Job', { template: pod, ...spec });
const jobSet = (...jobs: readonly object[]) =>
  of('jobset.x-k8s.io/v1alpha2', 'JobSet', { replicatedJobs: jobs });
const pytorch = (roles: object) =>
  of('kubeflow.org/v1', 'PyTorchJob', { pytorchReplicaSpecs: roles });
const cluster = { headGroupSpec: { template: pod } };
const workers = (more: object = {}) => ({ groupName: 'a', template: pod, ...more });
const lws = (spec: object, groups: object) =>
  of('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', {
    ...spec,
    leaderWorkerTemplate: { workerTemplate: pod, ...groups },
  });
const flow = (...flows: readonly object[]) => of('api.practice.com/v1alpha1', 'JobFlow', { flows });
const daemonJob = (spec: object) =>
  of('api.practice.com/v1alpha1', 'DaemonJob', { template: pod, ...spec });

/** `[path, replicas]` of each podSet. */
const counts = (resource: JsonObject) => {
  const inferred = inferPodSets(resource);
  return 'fault' in inferred
    ? inferred.fault
    : inferred.podSets.map(({ path, replicas }) => [path, replicas]);
};
const annotationsOf = (resource: JsonObject) => {
  const inferred = inferPodSets(resource);
  return 'fault' in inferred ? [] : inferred.podSets.map(({ annotations }) => annotations);
};
const key = (name: string) => `workload.codeflare.dev.appwrapper/tas-${name}`;

describe('podSets are inferred', () => {
  it('of a Pod: itself', () => {
    expect(counts({ apiVersion: 'v1', kind: 'Pod', ...pod })).toEqual([['template', 1]]);
  });

  it.each(['Deployment', 'StatefulSet'])('of a %s: its replicas, 1 when absent', (kind) => {
    const resource = (spec: object) => of('apps/v1', kind, { template: pod, ...spec });
    expect(counts(resource({ replicas: 3 }))).toEqual([['template.spec.template', 3]]);
    expect(counts(resource({}))).toEqual([['template.spec.template', 1]]);
    expect(counts(resource({ replicas: null }))).toEqual([['template.spec.template', 1]]);
  });

  it.each([
    [{}, 1],
    [{ parallelism: 4 }, 4],
    [{ parallelism: 4, completions: 2 }, 2],
    [{ parallelism: 4, completions: 8 }, 4],
    [{ completions: 8 }, 1],
    [{ parallelism: 0 }, 0],
  ])('of a Job: what runs at once, no more than completes: %o', (spec, replicas) => {
    expect(counts(job(spec))).toEqual([['template.spec.template', replicas]]);
    const index = 'batch.kubernetes.io/job-completion-index';
    expect(annotationsOf(job(spec))).toEqual([{ [key('pod-index-label')]: index }]);
  });

  it('of a JobSet: of each Job, as many times as it is replicated', () => {
    const jobs = jobSet(
      { name: 'a', replicas: 2, template: { spec: { parallelism: 3, template: pod } } },
      { name: 'none' },
      { name: 'b', template: { spec: { parallelism: 3, completions: 2, template: pod } } },
    );
    expect(counts(jobs)).toEqual([
      ['template.spec.replicatedJobs[0].template.spec.template', 6],
      ['template.spec.replicatedJobs[2].template.spec.template', 2],
    ]);
    expect(annotationsOf(jobs)[0]).toEqual({
      [key('pod-index-label')]: 'batch.kubernetes.io/job-completion-index',
      [key('sub-group-index-label')]: 'jobset.sigs.k8s.io/job-index',
      [key('sub-group-count')]: '2',
    });
    expect(annotationsOf(jobs)[1]).toMatchObject({ [key('sub-group-count')]: '1' });
  });

  it('of a PyTorchJob: the master before the workers, and what is missing is left out', () => {
    const spec = (role: string) => `template.spec.pytorchReplicaSpecs.${role}.template`;
    expect(counts(pytorch({ Worker: workers({ replicas: 4 }), Master: workers() }))).toEqual([
      [spec('Master'), 1],
      [spec('Worker'), 4],
    ]);
    const alone = pytorch({ Worker: workers({ replicas: 2 }) });
    expect(counts(alone)).toEqual([[spec('Worker'), 2]]);
    const index = 'training.kubeflow.org/replica-index';
    expect(annotationsOf(alone)).toEqual([{ [key('pod-index-label')]: index }]);
  });

  it.each([
    ['RayCluster', 'template.spec', (spec: object) => spec],
    ['RayJob', 'template.spec.rayClusterSpec', (spec: object) => ({ rayClusterSpec: spec })],
  ])('of a %s: the head once, and the replicas of each group', (kind, at, within) => {
    const groups = [workers({ replicas: 7, maxReplicas: 9 }), { groupName: 'none' }, workers()];
    const resource = of('ray.io/v1', kind, within({ ...cluster, workerGroupSpecs: groups }));
    expect(counts(resource)).toEqual([
      [`${at}.headGroupSpec.template`, 1],
      [`${at}.workerGroupSpecs[0].template`, 7],
      [`${at}.workerGroupSpecs[2].template`, 1],
    ]);
    expect(annotationsOf(resource)).toEqual([undefined, undefined, undefined]);
  });

  it('of a LeaderWorkerSet: a leader in each group, and workers up to its size', () => {
    const at = 'template.spec.leaderWorkerTemplate';
    expect(counts(lws({ replicas: 2 }, { leaderTemplate: pod, size: 3 }))).toEqual([
      [`${at}.leaderTemplate`, 2],
      [`${at}.workerTemplate`, 4],
    ]);
    expect(counts(lws({ replicas: 2 }, { size: 3 }))).toEqual([[`${at}.workerTemplate`, 6]]);
    expect(counts(lws({}, {}))).toEqual([[`${at}.workerTemplate`, 1]]);
  });

  it('of a JobFlow: each step as if all ran at once', () => {
    const step = (spec: object) => ({ jobTemplate: { template: pod, ...spec } });
    expect(counts(flow(step({}), step({ parallelism: 4, completions: 3 })))).toEqual([
      ['template.spec.flows[0].jobTemplate.template', 1],
      ['template.spec.flows[1].jobTemplate.template', 3],
    ]);
  });

  it('of a DaemonJob: as many as may run at once', () => {
    expect(counts(daemonJob({ parallelism: 5 }))).toEqual([['template.spec.template', 5]]);
  });

  it('of no other kind and of no other version', () => {
    expect(counts(of('v1', 'Service', {}))).toEqual([]);
    expect(counts(of('batch/v1', 'CronJob', {}))).toEqual([]);
    expect(counts(of('apps/v1beta1', 'Deployment', { template: pod }))).toEqual([]);
    expect(counts(of('trainer.kubeflow.org/v1alpha1', 'TrainJob', {}))).toEqual([]);
  });
});

it('a podSet has as many Pods as an int32 holds, and no more', () => {
  expect(counts(deployment({ template: pod, replicas: 2 ** 31 - 1 }))).toEqual([
    ['template.spec.template', 2_147_483_647],
  ]);
});

describe('a resource of a known kind is refused', () => {
  it.each([
    [
      job({ template: {} }),
      'template.spec.template does not refer to a v1.PodSpecTemplate: content at template.spec.template does not contain a spec',
    ],
    [
      deployment({ replicas: 'two' }),
      `at path position 'template.spec.replicas' non-int value "two"`,
    ],
    [
      job({ template: pod, parallelism: '4' }),
      `at path position 'template.spec.parallelism' non-int value "4"`,
    ],
    [
      job({ template: pod, completions: 1.5 }),
      `at path position 'template.spec.completions' non-int value 1.5`,
    ],
    [
      deployment({ template: pod, replicas: 2 ** 31 }),
      'template.spec.template makes 2147483648 Pods; a podSet has at most 2147483647',
    ],
    [
      pytorch({ Worker: workers({ replicas: 1.5 }) }),
      `at path position 'template.spec.pytorchReplicaSpecs.Worker.replicas' non-int value 1.5`,
    ],
    [
      jobSet({ template: {} }),
      `template.spec.replicatedJobs[0].template.spec.template does not refer to a v1.PodSpecTemplate: at path position 'template.spec.replicatedJobs[0].template' missing field 'spec'`,
    ],
    [
      of('ray.io/v1', 'RayJob', { clusterSelector: {} }),
      `template.spec.rayClusterSpec.headGroupSpec.template does not refer to a v1.PodSpecTemplate: at path position 'template.spec' missing field 'rayClusterSpec'`,
    ],
    [
      flow({ jobTemplateRef: 'etl' }),
      `at path position 'template.spec.flows[0].jobTemplateRef' the Pods of a JobTemplate are not known; write its template into the step (jobTemplate)`,
    ],
    [
      daemonJob({ parallelism: '10%' }),
      `at path position 'template.spec.parallelism' no number of Pods: how many nodes there are is not known; give parallelism a number, or declare podSets`,
    ],
  ])('case %#', (resource, fault) => {
    expect(counts(resource)).toEqual(fault);
  });
});

describe('the podSets of a component', () => {
  const declared = { path: 'template.spec.template', replicas: 2 };

  it('are those that are declared, else those that are inferred', () => {
    expect(podSetsOf({ template: job({}), podSets: [declared] })).toMatchObject([declared]);
    expect(podSetsOf({ template: job({}), podSets: [] })).toMatchObject([{ replicas: 1 }]);
    expect(podSetsOf({ template: of('v1', 'Service', {}) })).toEqual([]);
  });

  it('keep what is inferred about topology, unless the author says otherwise', () => {
    const name = key('pod-index-label');
    const inferred = { [name]: 'batch.kubernetes.io/job-completion-index' };
    const [podSet] = podSetsOf({ template: job({}), podSets: [declared] });
    expect(podSet?.annotations).toEqual(inferred);
    const annotations = { [name]: 'my-index', a: 'b' };
    const own = podSetsOf({ template: job({}), podSets: [{ ...declared, annotations }] });
    expect(own[0]?.annotations).toEqual(annotations);
  });
});
