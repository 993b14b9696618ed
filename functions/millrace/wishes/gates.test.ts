import { expect, test } from 'vitest';
import { annotations, labels } from '#shared/domain/labels.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { gatedKinds } from './gated-kinds.ts';
import { gatesOf } from './gates.ts';

const uid = asUid('flow');
const [flowKind] = gatedKinds;
if (flowKind === undefined) throw new Error('no kind has gates');

function metadata(name: string, more: Partial<KubeObject['metadata']> = {}) {
  return {
    name,
    namespace: 'ns',
    uid: asUid(name),
    resourceVersion: asResourceVersion('1'),
    ...more,
  };
}

function job(
  step: string,
  { labels: own = {}, ...more }: Pick<KubeObject['metadata'], 'labels' | 'annotations'> = {},
  spec: object = { suspend: true },
): KubeObject {
  const owner = { apiVersion: 'v1', kind: 'JobFlow', name: 'f', uid, controller: true };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadata(`f-${step}`, {
      ...{ ownerReferences: [owner], labels: { ...own, [labels.step]: step } },
      ...more,
    }),
    spec,
  };
}

async function gatesAmong(jobs: readonly KubeObject[], workloads: readonly KubeObject[] = []) {
  const flow = { kind: 'JobFlow', metadata: { ...metadata('f'), uid } } as unknown as KubeObject;
  const client = {
    get: () => Promise.resolve(undefined),
    list: ({ kind }: { readonly kind: string }) =>
      Promise.resolve({
        items: kind === 'Job' ? jobs : workloads,
        resourceVersion: asResourceVersion('1'),
      }),
  } as unknown as Parameters<typeof gatesOf>[2]['client'];
  const gates = await gatesOf(flowKind!, flow, { client });
  return gates.map(({ part, holder }) => [part, holder]);
}

test('a Job that its template has suspended waits at a gate', async () => {
  expect(await gatesAmong([job('a'), job('b', {}, {})])).toEqual([['a', undefined]]);
});

test('a Job that its flow has suspended waits at no gate', async () => {
  const suspended = job('a', { annotations: { [annotations.suspendedBy]: 'flow' } });
  expect(await gatesAmong([suspended])).toEqual([]);
});

test('a Job of another owner with the same label waits at no gate of the flow', async () => {
  const other = job('a');
  const stranger = { ...other, metadata: { ...other.metadata, ownerReferences: [] } };
  expect(await gatesAmong([stranger])).toEqual([]);
});

test('a Job in a queue of Kueue is held by more than its gate', async () => {
  const queued = job('a', { labels: { [queueLabel]: 'night' } });
  expect(await gatesAmong([queued])).toEqual([['a', 'in the queue night of Kueue']]);
});

test('a Job with a Workload is held by more than its gate, also without the label of a queue', async () => {
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'f-a', uid: asUid('f-a') };
  const workload = {
    kind: 'Workload',
    metadata: metadata('w', { ownerReferences: [owner] }),
  } as unknown as KubeObject;
  expect(await gatesAmong([job('a')], [workload])).toEqual([['a', 'in a queue of Kueue']]);
});

test('a Job that a suspend policy holds is held by more than its gate', async () => {
  const note = { policy: 'SuspendPolicy/ns/nights', reason: 'WindowClosed' };
  const held = job('a', { annotations: { [annotations.held]: JSON.stringify(note) } });
  expect(await gatesAmong([held])).toEqual([
    ['a', 'held by SuspendPolicy/ns/nights (WindowClosed)'],
  ]);
});
