import { describe, expect, it } from 'vitest';
import type { ComponentPodSetInfo } from '#shared/api/app-wrapper.ts';
import { podSetsOf } from '#shared/api/wrapped/pod-sets.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { renderComponent } from './render-component.ts';
import { deployment, job, pod, PureWorld, service } from './testing/pure-world.ts';

type Component = Parameters<typeof renderComponent>[1];

const info: ComponentPodSetInfo = {
  labels: { queue: 'main' },
  annotations: { workload: 'w' },
  nodeSelector: { pool: 'spot' },
  tolerations: [{ key: 'spot', operator: 'Exists' }],
  schedulingGates: [{ name: 'kueue.x-k8s.io/topology' }],
};
const ours = {
  'workload.codeflare.dev/appwrapper': 'aw',
  'millrace.dev/owner-uid': 'uid-of-aw',
  'millrace.dev/component': '0',
};

function rendered(component: Component, podSetInfos: readonly ComponentPodSetInfo[] = [info]) {
  const { wrapper } = new PureWorld([component]);
  const { apiVersion, kind, metadata } = component.template;
  const { name } = metadata as { readonly name: string };
  const status = { apiVersion, kind, name, podSets: podSetsOf(component) };
  const result = renderComponent(wrapper, { ...component, podSetInfos }, status, 0);
  if (result.kind === 'fault') return result.message;
  return result.object as unknown as JsonObject;
}

describe('a wrapped resource', () => {
  it('belongs to its wrapper by label and owner', () => {
    expect(rendered(service('s'), [])).toMatchObject({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 's',
        namespace: 'default',
        labels: ours,
        ownerReferences: [{ kind: 'AppWrapper', name: 'aw', uid: 'uid-of-aw', controller: true }],
      },
    });
  });

  it('has in each Pod template what Kueue assigned to it (U5)', () => {
    const template = {
      metadata: { labels: { ...info.labels, ...ours }, annotations: info.annotations },
      spec: {
        nodeSelector: info.nodeSelector,
        tolerations: info.tolerations,
        schedulingGates: info.schedulingGates,
      },
    };
    expect(rendered(job('j'))).toMatchObject({ spec: { template } });
    expect(rendered(deployment('d', 2))).toMatchObject({ spec: { template } });
    expect(rendered(pod('p'))).toMatchObject(template);
  });

  it('keeps what its author wrote beside what Kueue assigned (U6)', () => {
    const spec = {
      containers: [],
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'own' }],
      schedulingGates: [{ name: 'kueue.x-k8s.io/topology' }, { name: 'own' }],
      affinity: { podAffinity: {} },
    };
    const metadata = { labels: { app: 'a' }, annotations: { note: 'b' } };
    expect(rendered(pod('p', spec, metadata))).toMatchObject({
      metadata: {
        labels: { app: 'a', queue: 'main', ...ours },
        annotations: { note: 'b', workload: 'w' },
      },
      spec: {
        nodeSelector: { disk: 'ssd', pool: 'spot' },
        tolerations: [{ key: 'own' }, { key: 'spot', operator: 'Exists' }],
        schedulingGates: [{ name: 'kueue.x-k8s.io/topology' }, { name: 'own' }],
        affinity: { podAffinity: {} },
      },
    });
  });

  it('is kept away from nodes whose GPUs are broken, where it wants one (U5)', () => {
    const gpus = { resources: { limits: { 'nvidia.com/gpu': '1' } } };
    const key = 'autopilot.ibm.com/gpuhealth';
    const broken = { key, operator: 'NotIn', values: ['TESTING', 'EVICT'] };
    const suspicious = { key, operator: 'NotIn', values: ['WARN'] };
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [broken] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 50, preference: { matchExpressions: [suspicious] } },
      ],
    };
    expect(rendered(pod('p', { containers: [gpus] }))).toMatchObject({
      spec: { affinity: { nodeAffinity } },
    });
    expect(rendered(pod('p', { containers: [{}] }))).not.toMatchObject({
      spec: { affinity: {} },
    });
  });

  it('is kept away from broken GPUs in each term of its author (U6)', () => {
    const gpus = { resources: { requests: { 'nvidia.com/gpu': 1 } } };
    const own = { key: 'zone', operator: 'In', values: ['a'] };
    const required = (nodeSelectorTerms: readonly object[]) => ({
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    });
    const affinity = required([{ matchExpressions: [own] }, { matchFields: [] }]);
    const broken = {
      ...{ key: 'autopilot.ibm.com/gpuhealth', operator: 'NotIn' },
      values: ['TESTING', 'EVICT'],
    };
    expect(rendered(pod('p', { containers: [gpus], affinity }))).toMatchObject({
      spec: {
        affinity: required([
          { matchExpressions: [own, broken] },
          { matchFields: [], matchExpressions: [broken] },
        ]),
      },
    });
  });

  it('is never created where Kueue assigns another value than its author wrote', () => {
    const spec = { containers: [], nodeSelector: { pool: 'on-demand' } };
    expect(rendered(pod('p', spec))).toBe(
      'nodeSelector of the Pod template at template has pool="on-demand", and podSetInfos[0] assigns "spot"',
    );
  });

  it('is created under the name that is on record, and asks for no other one', () => {
    const named = rendered(pod('p', undefined, { generateName: 'p-' }));
    expect(named).toMatchObject({ metadata: { name: 'p' } });
    expect(named).not.toHaveProperty('metadata.generateName');
  });

  it('is created without the resourceVersion of the object that it was copied from', () => {
    const copied = rendered(pod('p', undefined, { resourceVersion: '5' }));
    expect(copied).not.toHaveProperty('metadata.resourceVersion');
  });

  it('has its wrapper as its only controller, also as a copy of what another one controls', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'uid-of-rs' };
    const ownerReferences = [
      { ...owner, controller: true },
      { ...owner, kind: 'ConfigMap' },
    ];
    const copied = rendered(pod('p', undefined, { ownerReferences }));
    expect(copied).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'ConfigMap' }, { kind: 'AppWrapper' }] },
    });
  });

  it('is never created in another namespace', () => {
    expect(rendered(pod('p', undefined, { namespace: 'other' }))).toBe(
      'its metadata.namespace is "other", and the AppWrapper is in default',
    );
  });

  it('cannot pass for the resource of another wrapper', () => {
    const labels = { 'millrace.dev/owner-uid': 'uid-of-another', 'millrace.dev/component': '7' };
    expect(rendered(pod('p', undefined, { labels }))).toMatchObject({ metadata: { labels: ours } });
  });

  it('of a kind of ours has none of the labels in its Pod templates that only that kind may set', () => {
    const spec = { template: { spec: { containers: [] } }, parallelism: 1 };
    const template = {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'DaemonJob',
      metadata: { name: 'daily' },
      spec,
    };
    const [made] = [rendered({ template })];
    expect(made).toMatchObject({ metadata: { labels: ours } });
    expect(made).toMatchObject({ spec: { template: { metadata: { labels: info.labels } } } });
    expect(JSON.stringify(made).match(/millrace\.dev\/component/g)).toHaveLength(1);
  });
});
