import { describe, expect, it } from 'vitest';
import { omit } from '#shared/domain/omit.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { appWrapperWork } from '../app-wrapper.ts';
import { appWrapperQueueing } from './app-wrapper.ts';

const pod = {
  metadata: { labels: { a: 'b' } },
  spec: {
    containers: [{ name: 'main', image: 'busybox', command: ['sleep', '5'] }],
    initContainers: [{ name: 'side', image: 'busybox', restartPolicy: 'Always' }],
    resources: { requests: { cpu: '2' } },
    resourceClaims: [{ name: 'gpu' }],
    runtimeClassName: 'gvisor',
  },
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  spec: { replicas: 4, template: pod },
};
const service = { apiVersion: 'v1', kind: 'Service', spec: {} };
const job = { apiVersion: 'batch/v1', kind: 'Job', spec: { parallelism: 2, template: pod } };
const role = (replicas: number) => ({ replicas, template: pod });
const pytorchJob = {
  apiVersion: 'kubeflow.org/v1',
  kind: 'PyTorchJob',
  spec: { pytorchReplicaSpecs: { Master: role(1), Worker: role(4) } },
};
const jobSet = {
  apiVersion: 'jobset.x-k8s.io/v1alpha2',
  kind: 'JobSet',
  spec: { replicatedJobs: [{ name: 'a', replicas: 2, template: { spec: { template: pod } } }] },
};

function wrapper(templates: readonly object[], more: Partial<KubeObject> = {}): KubeObject {
  return {
    apiVersion: 'workload.codeflare.dev/v1beta2',
    kind: 'AppWrapper',
    metadata: { name: 'Sample', uid: asUid('u'), resourceVersion: asResourceVersion('1') },
    spec: { suspend: true, components: templates.map((template) => ({ template })) },
    ...more,
  };
}
const { podSets, endOf, isActive, arePodsReady, place, takeBack, restsOn } = appWrapperQueueing;
const described = (object: KubeObject) => podSets(object, {});
const counts = (object: KubeObject) => {
  const found = described(object);
  return found.kind === 'podSets' ? found.podSets.map(({ name, count }) => [name, count]) : found;
};
const withStatus = (phase: string, ...holding: readonly string[]) =>
  wrapper([job], {
    status: { phase, conditions: holding.map((type) => ({ type, status: 'True' })) },
  });

describe('the Workload of an AppWrapper', () => {
  it('has the podSets of all components, numbered through', () => {
    const all = [
      ['sample-0', 4],
      ['sample-1', 2],
    ];
    expect(counts(wrapper([deployment, service, job]))).toEqual(all);
  });

  it('has those that were counted when the AppWrapper was first looked at', () => {
    const frozen = [{ podSets: [{ path: 'template.spec.template', replicas: 3 }] }];
    const status = { componentStatus: frozen };
    expect(counts(wrapper([deployment], { status }))).toEqual([['sample-0', 3]]);
  });

  it('has those that are found now until every component was counted', () => {
    const first = [{ podSets: [{ path: 'template.spec.template', replicas: 3 }] }];
    const status = { componentStatus: first };
    const all = [
      ['sample-0', 4],
      ['sample-1', 2],
    ];
    expect(counts(wrapper([deployment, job], { status }))).toEqual(all);
  });

  it('says of a Pod all that decides how large it is and where it runs', () => {
    const found = described(wrapper([job]));
    const [first] = found.kind === 'podSets' ? found.podSets : [];
    const container = omit(pod.spec.containers[0]!, 'command');
    expect(first?.template).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: { ...pod.spec, containers: [container] },
    });
  });

  it('names the labels that distinguish the Pods of each podSet', () => {
    const path = 'template.spec.template';
    const templates = [pytorchJob, jobSet, job, deployment];
    const prefix = 'workload.codeflare.dev.appwrapper/tas-sub-group-count';
    const malformed = { template: job, podSets: [{ path, annotations: { [prefix]: 'two' } }] };
    const components = [...templates.map((template) => ({ template })), malformed];
    const found = described(wrapper([], { spec: { suspend: true, components } }));
    expect(found.kind === 'podSets' && found.podSets.map((each) => each.topologyRequest)).toEqual([
      { podIndexLabel: 'training.kubeflow.org/replica-index' },
      { podIndexLabel: 'training.kubeflow.org/replica-index' },
      {
        podIndexLabel: 'batch.kubernetes.io/job-completion-index',
        subGroupIndexLabel: 'jobset.sigs.k8s.io/job-index',
        subGroupCount: 2,
      },
      { podIndexLabel: 'batch.kubernetes.io/job-completion-index' },
      undefined,
      { podIndexLabel: 'batch.kubernetes.io/job-completion-index' },
    ]);
  });

  it('is impossible where a template cannot be found, or there are too many or none', () => {
    const broken = { ...job, spec: { template: {} } };
    const fault = 'spec.components[0].template: template.spec.template does not refer to';
    expect(counts(wrapper([broken]))).toMatchObject({
      kind: 'impossible',
      message: expect.stringContaining(fault) as string,
    });
    expect(counts(wrapper([service]))).toMatchObject({ kind: 'impossible' });
    expect(counts(wrapper(Array.from({ length: 19 }, () => job)))).toMatchObject({
      kind: 'impossible',
      message: 'the components have 19 podSets, and a Workload takes 18; take fewer components',
    });
  });
});

describe('an AppWrapper in a queue', () => {
  it('keeps its quota until its own status gives it back', () => {
    expect(isActive(withStatus('Suspending', 'QuotaReserved'))).toBe(true);
    expect(isActive(withStatus('Suspended'))).toBe(false);
    expect(isActive(wrapper([job]))).toBe(false);
  });

  it('ends when it succeeds, and when nothing of a failed one is left', () => {
    expect(endOf(withStatus('Running', 'ResourcesDeployed'))).toBeUndefined();
    expect(endOf(withStatus('Succeeded', 'ResourcesDeployed'))).toEqual({
      isSuccess: true,
      message: 'AppWrapper finished successfully',
    });
    expect(endOf(withStatus('Failed', 'ResourcesDeployed'))).toBeUndefined();
    expect(endOf(withStatus('Failed'))).toEqual({ isSuccess: false, message: 'AppWrapper failed' });
  });

  it('is ready when its condition says so', () => {
    expect(arePodsReady(withStatus('Running', 'PodsReady'))).toBe(true);
    expect(arePodsReady(withStatus('Running'))).toBe(false);
  });

  it('wakes the integration when its phase or one of these conditions changes', () => {
    expect(restsOn(withStatus('Running', 'QuotaReserved'))).toEqual([
      'Running',
      true,
      false,
      false,
    ]);
    const unhealthy = withStatus('Running', 'QuotaReserved', 'Unhealthy');
    expect(restsOn(unhealthy)).toEqual(restsOn(withStatus('Running', 'QuotaReserved')));
  });

  it('gives each component what its podSets were assigned, and takes it back', () => {
    const admitted = ['sample-0', 'sample-1'].map((name, index) => ({
      info: { name, nodeSelector: { pool: `pool-${index}` } },
      count: 1,
    }));
    const object = wrapper([deployment, service, job]);
    const patch = place(object, admitted) as { components: readonly object[] };
    expect(patch.components).toEqual([
      { template: deployment, podSetInfos: [{ nodeSelector: { pool: 'pool-0' } }] },
      { template: service },
      { template: job, podSetInfos: [{ nodeSelector: { pool: 'pool-1' } }] },
    ]);
    const running = { ...object, spec: { suspend: false, ...patch } };
    expect(takeBack(running)).toEqual({
      components: [deployment, service, job].map((template) => ({ template })),
    });
  });
});

describe('a policy that holds AppWrappers', () => {
  const { suspension } = appWrapperWork;
  const state = (object: KubeObject) => ({ spec: {}, status: (object.status ?? {}) as never });

  it('leaves alone what has ended, and sees what still runs', () => {
    expect(suspension?.hasEnded(state(withStatus('Failed')))).toBe(true);
    expect(suspension?.hasEnded(state(withStatus('Resetting')))).toBe(false);
    expect(suspension?.isActive(state(withStatus('Suspending', 'ResourcesDeployed')))).toBe(true);
    expect(suspension?.isActive(state(withStatus('Suspended')))).toBe(false);
  });

  it('suspends and resumes them by spec.suspend', () => {
    expect(suspension?.stopOf({ suspend: true })).toBe('everything');
    expect(suspension?.specWith('nothing')).toEqual({ suspend: false });
  });
});
