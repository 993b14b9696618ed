import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#shared/domain/objects.ts';
import { job } from '#shared/domain/testing/objects.ts';
import { governedObject } from '#shared/suspension/governed-object.ts';
import { governedFingerprint } from './fingerprints.ts';
import { keepOfGovernedJob } from '#shared/api/work/kept-job.ts';
import { keepOfNamespace, keepOfPriorityClass } from './keep-small.ts';

describe('what is kept of a Job', () => {
  it.each<[string, Parameters<typeof job>[0]]>([
    ['is suspended', { spec: { suspend: true } }],
    ['is managed by something else', { spec: { managedBy: 'example.com/x' } }],
    ['runs', { status: { active: 1, startTime: '2026-01-05T08:00:00Z' } }],
    ['has Pods that end', { status: { terminating: 1 } }],
    ['has a Pod that failed', { status: { failed: 1 } }],
    ['has a Pod that succeeded', { status: { succeeded: 1 } }],
    ['has ended', { status: { conditions: [{ type: 'Failed', status: 'True' }] } }],
    ['carries notes of a policy', { metadata: { annotations: { 'millrace.dev/held': '{}' } } }],
  ])('says the same of one that %s', (_, fields) => {
    const whole = job(fields);
    const kept = keepOfGovernedJob(whole);
    expect(governedObject(kept)).toEqual(governedObject(whole));
    expect(governedFingerprint(kept)).toEqual(governedFingerprint(whole));
    expect(keepOfGovernedJob(kept)).toEqual(kept);
  });

  it('is how many Pods it has, and where they may run', () => {
    const pod = {
      priorityClassName: 'high',
      nodeSelector: { pool: 'spot' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
    };
    const spec = { completions: 3, parallelism: 2, template: { spec: pod } };
    expect(keepOfGovernedJob(job({ spec })).spec).toEqual({
      completions: 3,
      parallelism: 2,
      template: { spec: { ...pod, containers: [], initContainers: [] } },
    });
  });
});

it('of a namespace its labels are kept, and those annotations that are ours', () => {
  const own = { 'millrace.dev/suspend-override': 'Hold' };
  const labels = { team: 'a' };
  const namespace: KubeObject = {
    ...job({ metadata: { labels, annotations: { ...own, note: 'x' } } }),
    kind: 'Namespace',
  };
  const { metadata } = keepOfNamespace(namespace);
  expect([metadata.labels, metadata.annotations]).toEqual([labels, own]);
  const { metadata: bare } = job();
  expect(keepOfNamespace({ ...namespace, metadata: bare }).metadata.annotations).toEqual({});
});

it('of a priority class its value is kept, and whether it is the global default', () => {
  const whole = { ...job(), kind: 'PriorityClass', value: 7, globalDefault: true };
  expect(keepOfPriorityClass({ ...whole, description: 'x' } as KubeObject)).toEqual({
    apiVersion: 'batch/v1',
    kind: 'PriorityClass',
    metadata: whole.metadata,
    value: 7,
    globalDefault: true,
  });
});
