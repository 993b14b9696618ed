import { expect, it } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import type { DaemonSnapshot } from './snapshot.ts';
import { restsOnAll } from './rests-on-all.ts';
import { daemonJob, job, snapshot, started } from './testing/builders.ts';
import { after, decided } from './testing/decided.ts';

const nodes = ['a'];
const plain = daemonJob({ status: started({ a: 'Started' }) });
const ended = snapshot(plain, { nodes, jobs: [job('a', 'complete')] });
const endless = { completionPolicy: 'Never' } as const;
const failedOnce = started({ a: 'Failed' }, { state: 'Failed' });
const shutDown = daemonJob({ spec: { shutdown: 'Stop' }, status: started() });

it.each<[string, DaemonSnapshot]>([
  ['that every node has succeeded', ended],
  ['that a node has failed', snapshot(plain, { nodes, jobs: [job('a', 'failed')] })],
  ['that it is shut down', snapshot(shutDown, { nodes })],
  ['that there is no node', snapshot(daemonJob({ spec: { allowEmpty: true } }), { nodes: [] })],
  [
    'that it has succeeded after all',
    snapshot(daemonJob({ spec: endless, status: failedOnce }), {
      nodes: ['b'],
      jobs: [job('b', 'complete')],
    }),
  ],
])('a decision rests on all nodes when it records %s', (_, each) => {
  const { decision, status } = decided(each, 5);
  expect(['Succeed', 'Failed']).toContain(status.state);
  expect(restsOnAll(each, decision)).toBe(resources.Node);
});

it.each<[string, DaemonSnapshot]>([
  ['starts a node', snapshot(daemonJob(), { nodes })],
  ['finds a running Job', snapshot(plain, { nodes, jobs: [job('a', 'running')] })],
  ['finds its end on record', after(ended, decided(ended, 5))],
])('a decision does not rest on all nodes when it %s', (_, each) => {
  expect(restsOnAll(each, decided(each, 5).decision)).toBeUndefined();
});
