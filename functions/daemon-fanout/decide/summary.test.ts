import { describe, expect, it } from 'vitest';
import { cordoned, daemonJob, job, node, snapshot, started } from '../testing/builders.ts';
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

it('the failure of a DaemonJob names the node that failed before those whose Jobs were deleted for it', () => {
  const status = started({ a: 'Started', b: 'Started' });
  const owner = daemonJob({ spec: { failurePolicy: 'FailFast' }, status });
  const nodes = ['a', 'b'];
  const failed = decided(
    snapshot(owner, { nodes, jobs: [job('a', 'running'), job('b', 'failed')] }),
  );
  const cancelling = daemonJob({ spec: { failurePolicy: 'FailFast' }, status: failed.status });
  const end = decided(
    snapshot(cancelling, { nodes, jobs: [job('b', 'failed')], confirmedMissing: ['wipe-a'] }),
  );
  expect(end.status.message).toMatch(/^failed: b, a \(BackoffLimitExceeded: /);
  expect(end.entry('a')?.message).toBe(
    'Job wipe-a was deleted because another node failed (spec.failurePolicy is FailFast)',
  );
});

it('a DaemonJob that succeeded without a node does not say that it starts with the first one', () => {
  const owner = daemonJob({ spec: { allowEmpty: true } });
  const { status } = decided(snapshot(owner, { nodes: [node('a', { skip: cordoned })] }));
  expect(status.state).toBe('Succeed');
  const found = status.conditions?.find(({ type }) => type === 'NodesEligible');
  expect(found?.message).toBe('the only node cannot run it: 1 Cordoned');
});
