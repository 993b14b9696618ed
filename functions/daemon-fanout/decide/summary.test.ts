import { describe, expect, it } from 'vitest';
import { daemonJob, job, node, snapshot, started } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

describe('the end of a DaemonJob', () => {
  it('does not come while it is suspended, although it needs no node', () => {
    const owner = daemonJob({ spec: { allowEmpty: true, suspend: true } });
    expect(decided(snapshot(owner)).status.state).toBe('Suspended');
  });

  it('is a failure where a node was stopped and none failed by itself', () => {
    const owner = daemonJob({ status: started({ a: 'Cancelled', b: 'Succeeded' }) });
    const { status } = decided(snapshot(owner, { nodes: ['a', 'b'] }), 5);
    expect(status).toMatchObject({ state: 'Failed', reason: 'NodeFailed' });
  });

  it.each([
    ['Failed', 'Failed'],
    ['Succeed', 'Succeeded'],
  ] as const)('stays %s by a view of Jobs that is behind', (state, of) => {
    // An endless DaemonJob is decided about even after its end.
    const spec = { completionPolicy: 'Never' as const };
    const owner = daemonJob({ spec, status: started({ a: of }, { state }) });
    const leaving = job('gone', 'running', { deletionTimestamp: '2026-01-05T10:00:03Z' });
    const { status } = decided(snapshot(owner, { nodes: [node('a')], jobs: [leaving] }), 5);
    expect(status.state).toBe(state);
  });
});

it('what holds a DaemonJob up is that of the first node that is held up, whatever runs or waits before', () => {
  const owner = daemonJob({
    spec: { parallelism: 2 },
    status: started({ b: 'Started', c: 'Started' }),
  });
  const nodes = [node('a'), node('b'), node('c', { isSilent: true })];
  const jobs = [job('b', 'running'), job('c', 'running')];
  const { status } = decided(snapshot(owner, { nodes, jobs }), 90);
  expect(status).toMatchObject({ state: 'Running', reason: 'NodeNotReady' });
  expect(status.message).toMatch(/^node c: /);
});
