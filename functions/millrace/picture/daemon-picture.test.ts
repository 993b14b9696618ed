import { expect, test } from 'vitest';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import {
  asResourceVersion,
  asUid,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import { DaemonJobObserver } from './daemon-picture.ts';
import { progressOf, remarkOf } from './words.ts';

const metadata = { name: 'scan', uid: asUid('u'), resourceVersion: asResourceVersion('1') };

test('the progress of a DaemonJob is that of its status, also without its Jobs', () => {
  const status = { desired: 3, succeeded: 2, skipped: 1 };
  const object = { metadata, spec: {}, status } as unknown as DaemonJob;
  const picture = new DaemonJobObserver({ startedMs: 0, recorded: true }).picture(
    object,
    [],
    1_000,
  );
  expect(progressOf(picture)).toBe('2 of 3');
});

test('a retried node is one step, with the words of the status', () => {
  const job = (name: string, attempt: string, conditions: readonly JsonObject[]): KubeObject => ({
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: {
      ...{ name, uid: asUid(name), resourceVersion: asResourceVersion('1') },
      labels: { [labels.nodeUid]: 'n', [labels.attempt]: attempt },
      annotations: { [annotations.nodeName]: 'node1' },
    },
    status: { conditions },
  });
  const reason = 'BackoffLimitExceeded';
  const message = 'Job has reached the specified backoff limit';
  const failed = [{ type: 'Failed', status: 'True', reason, message }];
  const words = 'container main exited 1';
  const pictured = (jobs: readonly KubeObject[]) => {
    const nodes = [{ name: 'node1', state: 'Failed', reason, message: words, jobName: 'scan-2' }];
    const object = { metadata, spec: {}, status: { nodes } } as unknown as DaemonJob;
    const observer = new DaemonJobObserver({ startedMs: 0, recorded: true });
    return observer.picture(object, jobs, 1_000).steps;
  };
  const first = job('scan-1', '0', failed);
  const second = job('scan-2', '1', failed);
  for (const jobs of [
    [first, second],
    [second, first],
  ]) {
    expect(pictured(jobs)).toMatchObject([
      { name: 'node1', state: 'Failed', jobName: 'scan-2', attempt: 1, reason, message: words },
    ]);
  }
  expect(pictured([first])).toMatchObject([{ name: 'node1', message }]);
  expect(pictured([first, job('scan-2', '1', [])])).toMatchObject([{ jobName: 'scan-2' }]);
});

test('a node that does not continue is drawn with the words of the status, also without a Job', () => {
  const nodes = [
    { name: 'n1', state: 'Blocked', reason: 'NameConflict', message: 'Job scan-n1 exists' },
    { name: 'n2', state: 'Unknown', reason: 'NodeNotReady', message: 'the node does not report' },
    { name: 'n3', state: 'Skipped', reason: 'Cordoned', message: 'the node is cordoned' },
  ].map((entry) => ({ ...entry, jobName: `scan-${entry.name}` }));
  const object = { metadata, spec: {}, status: { nodes } } as unknown as DaemonJob;
  const job: KubeObject = {
    ...{ apiVersion: 'batch/v1', kind: 'Job', status: { startTime: '2026-03-01T12:00:00Z' } },
    metadata: {
      ...{ name: 'scan-n2', uid: asUid('j'), resourceVersion: asResourceVersion('1') },
      annotations: { [annotations.nodeName]: 'n2' },
    },
  };
  const observer = new DaemonJobObserver({ startedMs: 0, recorded: true });
  const { steps } = observer.picture(object, [job], 1_000);
  expect(steps.map((step) => [step.name, step.state, remarkOf(step)])).toEqual([
    ['n1', 'Blocked', 'NameConflict: Job scan-n1 exists'],
    ['n2', 'Running', 'NodeNotReady: the node does not report'],
    ['n3', 'Skipped', 'Cordoned: the node is cordoned'],
  ]);
});
