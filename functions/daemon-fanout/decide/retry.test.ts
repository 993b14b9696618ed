import { describe, expect, it } from 'vitest';
import { at, daemonJob, job, snapshot, started } from '../testing/builders.ts';
import { decided, withRetry } from '../testing/decided.ts';

const failed = started(
  { a: 'Failed', b: 'Succeeded' },
  { state: 'Failed', reason: 'NodeFailed', completionTime: at(9) },
);

describe('a retry by hand', () => {
  it('does nothing to one that succeeded but note the value', () => {
    const status = started({ a: 'Succeeded' }, { state: 'Succeed', completionTime: at(9) });
    const result = decided(snapshot(daemonJob({ status, retry: '1' }), { nodes: ['a'] }), 30);
    expect(result.creates).toEqual([]);
    expect(result.status).toMatchObject({
      state: 'Succeed',
      completionTime: at(9),
      retryNonce: '1',
    });
  });

  it('does not touch what runs', () => {
    const status = started({ a: 'Failed', b: 'Started' });
    const jobs = [job('a', 'failed'), job('b', 'running')];
    const asked = snapshot(daemonJob({ status, retry: '1' }), { nodes: ['a', 'b'], jobs });
    const result = decided(withRetry(asked, 30), 30);
    expect(result.creates).toEqual(['a']);
    expect(result.deletes).toEqual([]);
    expect(result.ledger('b')).toBe('Started');
  });

  it('cancels the time to live just before it is over (argo-workflows#12636)', () => {
    const spec = { ttlSecondsAfterFinished: 20 };
    const seen = (retry: string) =>
      snapshot(daemonJob({ spec, status: { ...failed, retryNonce: '0' }, retry }), {
        nodes: ['a', 'b'],
      });
    expect(decided(seen('0'), 29).deletes).toEqual(['wipe']);
    expect(decided(seen('1'), 29).deletes).toEqual([]);
    expect(decided(withRetry(seen('1'), 29), 29).creates).toEqual(['a']);
  });
});

describe('one that was started', () => {
  it('is what was started while nothing asks for a comparison', () => {
    const status = started({ a: 'Succeeded' }, { specHash: 'of the start' });
    const seen = snapshot(daemonJob({ status }), { nodes: ['a', 'b'] });
    const unasked = { ...seen };
    delete unasked.specHash;
    expect(decided(unasked, 5).creates).toEqual(['b']);
    expect(decided(seen, 5).creates).toEqual([]);
  });

  it('is what was started where an older version did not record it', () => {
    const status = started({ a: 'Succeeded' });
    expect(decided(snapshot(daemonJob({ status }), { nodes: ['a', 'b'] }), 5).creates).toEqual([
      'b',
    ]);
  });
});
