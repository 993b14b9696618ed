import { expect, it } from 'vitest';
import { queuedKindOf } from '#shared/api/work/queued-kinds.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { admitted, queuedFlow, workloadOf } from '../testing/queued.ts';
import { queuedFingerprint, workloadFingerprint } from './fingerprints.ts';

const resumed = { suspend: false };
const suspended = { suspend: true };
const elsewhere = { suspend: false, managedBy: 'kueue.x-k8s.io/multikueue' };
const running = { state: 'Running', observedGeneration: 1, progress: '1/3', running: 1 };

function printOf(spec: object, status: object): string {
  const flow = queuedFlow({ spec, status });
  return JSON.stringify(queuedFingerprint(queuedKindOf(flow))(flow));
}

it.each([
  [
    'the first of its steps runs, whose Pod was pending',
    resumed,
    { jobStatusList: [{ name: 'a', state: 'Pending' }] },
    { jobStatusList: [{ name: 'a', state: 'Running' }] },
  ],
  ['another step has succeeded', resumed, {}, { progress: '2/3' }],
  ['it has ended', resumed, {}, { state: 'Succeed' }],
  ['its last step stops while it is suspended', suspended, {}, { running: 0 }],
  ['its last step stops on another cluster', elsewhere, {}, { running: 0 }],
])('a flow is looked at when %s', (_, spec, before, after) => {
  expect(printOf(spec, { ...running, ...before })).not.toBe(
    printOf(spec, { ...running, ...after }),
  );
});

it.each([
  ['no step runs between two waves of steps', { running: 0 }],
  ['flow-advance has seen the latest generation', { observedGeneration: 2 }],
])('a flow that runs is left alone when %s', (_, after) => {
  expect(printOf(resumed, running)).toBe(printOf(resumed, { ...running, ...after }));
});

it('a Workload wakes its flow by what Kueue writes, and not by what the flow itself reports', () => {
  const printWith = (more: Readonly<Record<string, string>>) =>
    JSON.stringify(workloadFingerprint(workloadOf(queuedFlow(), { ...admitted, ...more })));
  expect(printWith({ PodsReady: 'Started' })).toBe(printWith({}));
  expect(printWith({ Evicted: 'Preempted' })).not.toBe(printWith({}));
});

it('a Workload wakes its flow when a finalizer of it goes', () => {
  const workload = workloadOf(queuedFlow(), admitted);
  const held = { ...workload, metadata: { ...workload.metadata, finalizers: ['a.b/c'] } };
  const letGo = { ...workload, metadata: { ...workload.metadata, finalizers: [] } };
  expect(workloadFingerprint(held)).not.toEqual(workloadFingerprint(letGo));
});

it.each([
  ['what Kueue assigned', { admission: { clusterQueue: 'team' } }],
  ['the state of an admission check', { admissionChecks: [{ name: 'check', state: 'Retry' }] }],
])('a Workload wakes its flow when %s changes, also without a new condition', (_, status) => {
  const workload = workloadOf(queuedFlow(), admitted);
  const changed = { ...workload, status: { ...fieldsOf(workload.status), ...status } };
  expect(workloadFingerprint(changed)).not.toEqual(workloadFingerprint(workload));
});
