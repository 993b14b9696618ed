import { describe, expect, it } from 'vitest';
import type { DaemonJobSpec } from '#shared/api/daemon-job.ts';
import { daemonJob, job, node, snapshot, started } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const admitted = (count: number): Partial<DaemonJobSpec> => ({
  podSetInfos: [
    { name: 'nodes', count, nodeSelector: { pool: 'spot' }, tolerations: [{ key: 'spot' }] },
  ],
});

describe('a DaemonJob that Kueue has admitted for two nodes', () => {
  const owner = daemonJob({ spec: admitted(2), status: started({ b: 'Started' }) });

  it('skips the nodes beyond them, and says why', () => {
    const looked = decided(
      snapshot(owner, { nodes: ['a', 'b', 'c'], jobs: [job('b', 'running')] }),
    );
    expect(looked.creates).toEqual(['a']);
    expect(looked.entry('c')).toEqual({
      name: 'c',
      state: 'Skipped',
      reason: 'NotAdmitted',
      message:
        'Kueue has admitted 2 nodes, and this one came later; create another DaemonJob for it',
    });
    expect(looked.status).toMatchObject({ desired: 2, skipped: 1 });
  });

  it('succeeds when these have, whatever else is there', () => {
    const status = started({ a: 'Succeeded', b: 'Succeeded' });
    const over = daemonJob({ spec: admitted(2), status });
    const looked = decided(snapshot(over, { nodes: ['a', 'b', 'c'] }));
    expect(looked.status).toMatchObject({ state: 'Succeed', desired: 2, succeeded: 2, skipped: 1 });
  });

  it('takes a node for one that cannot run it any more', () => {
    const cordoned = node('a', { skip: { reason: 'Cordoned', message: 'the node is cordoned' } });
    const looked = decided(
      snapshot(owner, { nodes: [cordoned, 'b', 'c'], jobs: [job('b', 'running')] }),
    );
    expect(looked.creates).toEqual(['c']);
  });

  it.each([
    ['on record', started({ gone: 'Succeeded', b: 'Started' }), []],
    ['not on record yet', started({ gone: 'Started', b: 'Started' }), [job('gone', 'complete')]],
  ])(
    'takes none for one that has succeeded and is removed, since its quota was returned (%s)',
    (_, status, jobs) => {
      const looked = decided(
        snapshot(daemonJob({ spec: admitted(2), status }), {
          nodes: ['b', 'c'],
          jobs: [job('b', 'running'), ...jobs],
        }),
      );
      expect(looked.creates).toEqual([]);
      expect(looked.entry('c')?.reason).toBe('NotAdmitted');
    },
  );

  it('makes Jobs whose Pods run where they were placed, and notes where they could run before', () => {
    const [created] = decided(
      snapshot(owner, { nodes: ['a', 'b'], jobs: [job('b', 'running')] }),
    ).created;
    expect(created).toMatchObject({
      metadata: { annotations: { 'millrace.dev/placed': '{}' } },
      spec: {
        template: { spec: { nodeSelector: { pool: 'spot' }, tolerations: [{ key: 'spot' }] } },
      },
    });
  });
});

it('a DaemonJob that waits in a queue counts all of its nodes, and says why it waits', () => {
  const own = { 'millrace.dev/queued': '{"queue":"main","message":"no quota"}' };
  const suspended = daemonJob({ spec: { suspend: true } });
  const waiting = { ...suspended, metadata: { ...suspended.metadata, annotations: own } };
  const { status, creates } = decided(snapshot(waiting, { nodes: ['a', 'b', 'c'] }));
  expect(creates).toEqual([]);
  expect(status).toMatchObject({
    state: 'Suspended',
    reason: 'Queued',
    message: 'waits in the queue main: no quota',
    desired: 3,
  });
});
