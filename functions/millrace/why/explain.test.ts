import { expect, test } from 'vitest';
import { asUid, type JsonObject, type KubeObject } from '#shared/domain/objects.ts';
import { createStoredCluster } from '#shared/runtime/testing/stored-cluster.ts';
import { explain, explainedKinds } from './explain.ts';
import type { Surroundings } from './surroundings.ts';

const around = {
  client: createStoredCluster().client,
  ...{ kubectl: 'kubectl', program: 'millrace', options: '', queueOptions: '' },
} as unknown as Surroundings;

async function explained(object: KubeObject, part: string): Promise<readonly [boolean, string[]]> {
  const kind = explainedKinds.find(({ resource }) => resource.kind === object.kind);
  if (kind === undefined) throw new Error(`${object.kind} is not explained`);
  const { waits, causes } = await explain(kind, object, part, around);
  return [waits, causes.map(({ object: of, reason }) => `${of.part ?? of.name}: ${reason}`)];
}

function parent(kind: string, spec: JsonObject, status: JsonObject): KubeObject {
  const metadata = { name: 'etl', namespace: 'default', uid: asUid('u') };
  return { apiVersion: 'api.practice.com/v1alpha1', kind, metadata, spec, status } as never;
}

const pod = 'Pod etl-wide: 0/3 nodes are available';
const flow = parent(
  'JobFlow',
  { flows: ['bad', 'good', 'wide'].map((name) => ({ name, jobTemplate: {} })) },
  {
    ...{ state: 'Running', reason: 'Unschedulable', message: `step wide: ${pod}` },
    jobStatusList: [
      { name: 'bad', state: 'Failed', reason: 'BackoffLimitExceeded', message: 'exited 3' },
      { name: 'good', state: 'Running' },
      { name: 'wide', state: 'Running', reason: 'Unschedulable', message: pod },
    ],
  },
);
const daemonJob = parent(
  'DaemonJob',
  { template: {} },
  {
    ...{ state: 'Running', reason: 'NameConflict', message: 'node n2: Job etl-n2 exists' },
    nodes: [{ name: 'n2', state: 'Blocked', reason: 'NameConflict', message: 'Job etl-n2 exists' }],
  },
);

test('a part does not wait for the trouble of another part', async () => {
  expect(await explained(flow, 'good')).toEqual([false, []]);
  expect(await explained(flow, 'bad')).toEqual([false, ['bad: BackoffLimitExceeded']]);
});

test('the trouble of a part is printed once, although the status of the whole quotes it', async () => {
  expect(await explained(flow, 'wide')).toEqual([true, ['wide: Unschedulable']]);
  expect(await explained(daemonJob, 'n2')).toEqual([true, ['n2: NameConflict']]);
});

test('a part waits for what holds the whole', async () => {
  const status = { state: 'Suspended', reason: 'FlowSuspended', message: 'spec.suspend is true' };
  const held = { ...flow, status: { ...status, jobStatusList: [] } };
  expect(await explained(held, 'good')).toEqual([true, ['good: Waiting', 'etl: FlowSuspended']]);
});

test('a parked object is looked at again with the next sweep, not only when it changes', async () => {
  const kind = explainedKinds.find(({ resource }) => resource.kind === flow.kind);
  const parked = [{ uid: flow.metadata.uid, reason: 'MR_API_INVALID: no', parkedAtMs: 0 }];
  const queue = [{ function: 'flow-advance', parked }] as unknown as Surroundings['queue'];
  const { causes } = await explain(kind as never, flow, undefined, { ...around, queue } as never);
  expect(causes[0]?.message).toBe(
    'flow-advance put it aside at 1970-01-01T00:00:00Z, and looks again with the next sweep or change: MR_API_INVALID: no',
  );
});
