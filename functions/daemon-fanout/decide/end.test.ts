import { describe, expect, it } from 'vitest';
import { at, t0, daemonJob, job, node, snapshot, started } from '../testing/builders.ts';
import { after, decided } from '../testing/decided.ts';
import { onRecord } from '../testing/running.ts';

describe('the end', () => {
  it('is a success when every node succeeded, at the time of the last one', () => {
    const owner = daemonJob({ status: started(onRecord('a', 'b')) });
    const jobs = [job('a', 'complete'), job('b', 'complete', { completionTime: at(12) })];
    const result = decided(snapshot(owner, { nodes: ['a', 'b'], jobs }), 60);
    expect(result.status).toMatchObject({ state: 'Succeed', succeeded: 2, completionTime: at(12) });
    expect(result.condition('Complete')).toBe('True/AllNodesSucceeded');
    expect(result.events).toEqual(['Completed']);
  });

  it('is a failure when a node failed and the others have ended', () => {
    const owner = daemonJob({ status: started(onRecord('a', 'b')) });
    const jobs = [job('a', 'failed'), job('b', 'running')];
    const seen = snapshot(owner, { nodes: ['a', 'b'], jobs });
    const first = decided(seen, 10);
    expect(first.status).toMatchObject({ state: 'Running', failed: 1 });
    expect(first.entry('a')).toMatchObject({ state: 'Failed', reason: 'BackoffLimitExceeded' });
    expect(first.events).toEqual(['NodeFailed']);
    const ended = { ...after(seen, first), jobs: [job('a', 'failed'), job('b', 'complete')] };
    const second = decided(ended, 20);
    expect(second.status).toMatchObject({ state: 'Failed', reason: 'NodeFailed' });
    expect(second.events).toEqual(['Failed']);
  });

  it('is not before that of a node that is on record', () => {
    const failed = { name: 'a', state: 'Failed', completionTime: at(30) } as const;
    const owner = daemonJob({
      status: started({ a: 'Failed', b: 'Started' }, { nodes: [failed] }),
    });
    const jobs = [job('b', 'complete')];
    const result = decided(snapshot(owner, { nodes: ['a', 'b'], jobs }), 60);
    expect(result.status).toMatchObject({ state: 'Failed', completionTime: at(30) });
  });

  it('is now when what was waited for is gone', () => {
    const failed = { name: 'a', state: 'Failed', completionTime: at(30) } as const;
    const owner = daemonJob({ status: started({ a: 'Failed' }, { nodes: [failed] }) });
    const result = decided(snapshot(owner, { nodes: ['a'] }), 60);
    expect(result.status).toMatchObject({ state: 'Failed', completionTime: at(60) });
  });

  it('stays what it is when nodes come and Jobs go', () => {
    const status = started({ a: 'Succeeded' }, { state: 'Succeed', completionTime: at(9) });
    const result = decided(snapshot(daemonJob({ status }), { nodes: ['a', 'b'] }), 60);
    expect(result.decision.plan).toEqual([]);
  });

  it('leaves nothing running that the run that wrote it did not see', () => {
    const status = started({ a: 'Succeeded' }, { state: 'Succeed', completionTime: at(9) });
    const jobs = [job('a', 'complete'), job('gone', 'running')];
    const seen = snapshot(daemonJob({ status }), { nodes: ['a'], jobs });
    expect(decided(seen, 9 + 119).deletes).toEqual([]);
    expect(decided(seen, 9 + 119).decision.requeueAtMs).toBe(t0 + (9 + 120) * 1_000);
    expect(decided(seen, 9 + 120).deletes).toEqual(['wipe-gone']);
  });

  it('is waited after by the clock that wrote it, not by that of the last Job', () => {
    const written = {
      state: 'Succeed',
      completionTime: at(-3600),
      lastUpdateTime: at(60),
    } as const;
    const owner = daemonJob({ status: started({ a: 'Succeeded' }, written) });
    const seen = snapshot(owner, { nodes: ['a'], jobs: [job('gone', 'running')] });
    expect(decided(seen, 60 + 119).deletes).toEqual([]);
    expect(decided(seen, 60 + 120).deletes).toEqual(['wipe-gone']);
  });

  it('is taken back by a node that comes where it was to go on for ever', () => {
    const status = started({ a: 'Succeeded' }, { state: 'Succeed', completionTime: at(9) });
    const owner = daemonJob({ spec: { completionPolicy: 'Never' }, status });
    const late = node('b', { creationTimestamp: at(30) });
    const result = decided(snapshot(owner, { nodes: ['a', late] }), 60);
    expect(result.creates).toEqual(['b']);
    expect(result.status.state).toBe('Running');
    expect(result.status.completionTime).toBeUndefined();
  });
});
