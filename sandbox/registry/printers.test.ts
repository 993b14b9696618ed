import { expect, test } from 'vitest';
import type { KubeObject } from '#shared/domain/objects.ts';
import { builtInTypes } from './built-in-types.ts';

const created = Date.UTC(2026, 0, 1);
const nowMs = created + 300_000;

function cells(plural: string, object: object): readonly unknown[] {
  const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' };
  const type = builtInTypes().find((registration) => registration.type.plural === plural)!.type;
  const row = type.row({ apiVersion: 'v1', metadata, ...object } as unknown as KubeObject, nowMs);
  expect(row).toHaveLength(type.columns.length);
  return row;
}

test('a running Pod', () => {
  const state = { running: {} };
  const containerStatuses = [{ name: 'c', ready: true, restartCount: 0, state }];
  const status = { phase: 'Running', podIP: '10.0.0.1', containerStatuses };
  expect(cells('pods', { spec: { nodeName: 'n', containers: [{}] }, status })).toEqual([
    'x',
    '1/1',
    'Running',
    '0',
    '5m',
    '10.0.0.1',
    'n',
    '<none>',
    '<none>',
  ]);
});

test('a Pod that ended shows why', () => {
  const failed = { terminated: { reason: 'Error', exitCode: 1 } };
  const status = { phase: 'Failed', containerStatuses: [{ ready: false, state: failed }] };
  expect(cells('pods', { spec: { containers: [{}] }, status }).slice(1, 3)).toEqual([
    '0/1',
    'Error',
  ]);
});

test('a Job shows its condition, completions and duration', () => {
  const conditions = [{ type: 'Complete', status: 'True' }];
  const status = {
    succeeded: 1,
    conditions,
    startTime: '2026-01-01T00:00:00Z',
    completionTime: '2026-01-01T00:01:05Z',
  };
  expect(cells('jobs', { spec: { completions: 1 }, status }).slice(0, 5)).toEqual([
    'x',
    'Complete',
    '1/1',
    '65s',
    '5m',
  ]);
});

test('a Node shows readiness, roles and version', () => {
  const metadata = {
    name: 'x',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'node-role.kubernetes.io/worker': '' },
  };
  const status = {
    conditions: [{ type: 'Ready', status: 'True' }],
    nodeInfo: { kubeletVersion: 'v1.36.3' },
  };
  expect(cells('nodes', { metadata, spec: { unschedulable: true }, status }).slice(0, 5)).toEqual([
    'x',
    'Ready,SchedulingDisabled',
    'worker',
    '5m',
    'v1.36.3',
  ]);
});

test('an Event shows what happened to what, how often', () => {
  const event = {
    involvedObject: { kind: 'Pod', name: 'p' },
    type: 'Normal',
    reason: 'Started',
    message: 'm',
    lastTimestamp: '2026-01-01T00:04:00Z',
    firstTimestamp: '2026-01-01T00:00:00Z',
    count: 3,
    source: { component: 'kubelet', host: 'n' },
  };
  expect(cells('events', event)).toEqual([
    '60s',
    'Normal',
    'Started',
    'pod/p',
    '',
    'kubelet, n',
    'm',
    '5m',
    3,
    'x',
  ]);
});
