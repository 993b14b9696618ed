import { describe, expect, it } from 'vitest';
import { frozenDaemonJobHash } from '#shared/api/daemon-job-rules.ts';
import type { DaemonJobSpec } from '#shared/api/daemon-job.ts';
import {
  cordoned,
  daemonJob,
  type DaemonJobFields,
  job,
  node,
  ownerName,
  started,
} from '../testing/builders.ts';
import { type Cluster, mayEnd } from './may-end.ts';

const [a, b] = [node('a'), node('b')];

function ends(fields: DaemonJobFields, cluster: Partial<Cluster>): boolean {
  return mayEnd(daemonJob(fields), { nodes: [a], jobs: [], confirmedMissing: [], ...cluster });
}

describe('a DaemonJob may end', () => {
  it('when its Job has ended on every node, or is on record as over', () => {
    expect(ends({}, { jobs: [job('a', 'complete')] })).toBe(true);
    expect(ends({}, { jobs: [job('a', 'failed')] })).toBe(true);
    for (const state of ['Succeeded', 'Failed', 'Cancelled'] as const) {
      expect(ends({ status: started({ a: state }) }, {})).toBe(true);
    }
  });

  it('when a Job is gone that was on record', () => {
    const status = started({ a: 'Started' });
    expect(ends({ status }, { confirmedMissing: [`${ownerName}-a`] })).toBe(true);
    expect(ends({ status }, {})).toBe(false);
  });

  it('not while a Job runs, also on a machine that is not to be seen', () => {
    const nodes = [a, b];
    expect(ends({}, { nodes, jobs: [job('a', 'complete'), job('b', 'running')] })).toBe(false);
    expect(ends({}, { jobs: [job('a', 'complete'), job('b', 'pending')] })).toBe(false);
  });

  it('although Jobs seem to run, when its end is on record and a retry is asked for', () => {
    const jobs = [job('a', 'running')];
    const failed = started({ a: 'Succeeded', b: 'Failed' }, { state: 'Failed' });
    expect(ends({ status: failed, retry: 'again' }, { jobs })).toBe(true);
    expect(ends({ status: failed, retry: 'again' }, { nodes: [a, b], jobs })).toBe(false);
    const succeeded = started({ a: 'Succeeded' }, { state: 'Succeed' });
    const spec = { completionPolicy: 'Never' } as const;
    expect(ends({ spec, status: succeeded, retry: 'again' }, { jobs })).toBe(true);
    expect(ends({ status: started({ a: 'Succeeded' }), retry: 'again' }, { jobs })).toBe(false);
    const unrecorded = started({}, { state: 'Failed' });
    expect(ends({ spec, status: unrecorded }, { jobs })).toBe(false);
    expect(ends({ spec, status: unrecorded }, { jobs: [job('a', 'complete')] })).toBe(true);
  });

  it('not while a node waits for its first Job, for the next attempt or for another machine', () => {
    const nodes = [a, b];
    expect(ends({}, { nodes, jobs: [job('a', 'complete')] })).toBe(false);
    const retrying = started({ a: 'Succeeded', b: { state: 'Retrying', attempt: 1 } });
    expect(ends({ status: retrying }, { nodes, jobs: [job('b', 'failed')] })).toBe(false);
    const replaced = [a, node('b', { skip: cordoned })];
    expect(ends({ status: retrying }, { nodes: replaced })).toBe(false);
    const jobs = [job('a', 'complete', { machine: 'another' })];
    expect(ends({}, { jobs })).toBe(false);
  });

  it('although nodes are left out that cannot run it or are excluded', () => {
    const jobs = [job('a', 'complete')];
    expect(ends({}, { nodes: [a, node('b', { skip: cordoned })], jobs })).toBe(true);
    expect(ends({ spec: { excludeNodeList: 'b' } }, { nodes: [a, b], jobs })).toBe(true);
  });

  it('without a node only if that is an end, and nothing holds it back', () => {
    const empty = (spec: Partial<DaemonJobSpec>): boolean => ends({ spec }, { nodes: [] });
    expect(empty({})).toBe(false);
    expect(empty({ allowEmpty: true })).toBe(true);
    expect(empty({ allowEmpty: true, suspend: true })).toBe(false);
    expect(empty({ allowEmpty: true, paused: true })).toBe(false);
    expect(ends({ status: started({ b: 'Succeeded' }) }, { nodes: [] })).toBe(true);
    expect(ends({ status: started({ b: 'Failed' }) }, { nodes: [] })).toBe(false);
  });

  it('with nodes that wait when one has failed and the policy is FailFast', () => {
    const nodes = [a, b];
    const spec = { failurePolicy: 'FailFast' } as const;
    expect(ends({ spec }, { nodes, jobs: [job('a', 'complete')] })).toBe(false);
    expect(ends({ spec }, { nodes, jobs: [job('a', 'failed')] })).toBe(true);
    expect(ends({ spec, status: started({ a: 'Cancelled' }) }, { nodes })).toBe(true);
    const status = started({ a: 'Started' });
    expect(ends({ spec, status }, { nodes, confirmedMissing: [`${ownerName}-a`] })).toBe(true);
    expect(ends({}, { nodes, jobs: [job('a', 'failed')] })).toBe(false);
  });

  it('not while it is not what was started any more', () => {
    const status = started({ a: 'Succeeded' }, { observedGeneration: 0 });
    const { spec } = daemonJob();
    const same = { ...status, specHash: frozenDaemonJobHash(spec) };
    expect(ends({ status: same }, {})).toBe(true);
    expect(ends({ status: { ...same, specHash: 'of another spec' } }, {})).toBe(false);
  });

  it('not by FailFast because an attempt failed that a retry has superseded', () => {
    const nodes = [a, b];
    const spec = { failurePolicy: 'FailFast' } as const;
    const status = started({ a: { state: 'Retrying', attempt: 1 }, b: 'Succeeded' });
    expect(ends({ spec, status }, { nodes, jobs: [job('a', 'failed')] })).toBe(false);
    const anew = { nodes, jobs: [job('a', 'failed'), job('a', 'failed', { attempt: 1 })] };
    expect(ends({ spec, status }, anew)).toBe(true);
  });

  it('not when what failed is to start anew', () => {
    const status = started({ a: 'Failed' }, { state: 'Failed' });
    expect(ends({ status }, {})).toBe(true);
    expect(ends({ status, retry: 'again' }, {})).toBe(false);
    const next = job('a', 'complete', { attempt: 1 });
    expect(ends({ status, retry: 'again' }, { jobs: [next] })).toBe(true);
    const spec = { failurePolicy: 'FailFast' } as const;
    const both = started({ a: 'Failed', b: 'Succeeded' }, { state: 'Failed' });
    expect(ends({ spec, status: both, retry: 'again' }, { nodes: [a, b] })).toBe(false);
  });

  it('with nodes that wait when its time may be up and a machine is not to be seen', () => {
    const spec = { activeDeadlineSeconds: 60 };
    expect(ends({ spec, status: started() }, {})).toBe(false);
    expect(ends({ spec, status: started({ b: 'Started' }) }, {})).toBe(true);
    expect(ends({ spec, status: started() }, { jobs: [job('b', 'complete')] })).toBe(true);
    expect(ends({ status: started({ b: 'Started' }) }, {})).toBe(false);
  });

  it('once only when it goes on for ever', () => {
    const spec = { completionPolicy: 'Never' } as const;
    const jobs = [job('a', 'complete')];
    expect(ends({ spec, status: started({ a: 'Started' }) }, { jobs })).toBe(true);
    expect(
      ends({ spec, status: started({ a: 'Succeeded' }, { state: 'Succeed' }) }, { jobs }),
    ).toBe(false);
  });

  it('also when it is endless and a machine without a recorded end is in sight again', () => {
    const spec = { completionPolicy: 'Never' } as const;
    const status = started({ a: 'Succeeded', b: 'Started' }, { state: 'Succeed' });
    expect(ends({ spec, status }, { nodes: [a, b], jobs: [job('b', 'failed')] })).toBe(true);
    expect(ends({ spec, status }, {})).toBe(false);
  });

  it('also when it goes on for ever, and has failed on a node by its record or by the nodes alone', () => {
    const spec = { completionPolicy: 'Never' } as const;
    const status = started({ a: 'Succeeded', b: 'Failed' }, { state: 'Failed' });
    expect(ends({ spec, status }, { nodes: [a] })).toBe(true);
    expect(ends({ spec, status }, { nodes: [a, b] })).toBe(false);
    const cancelled = started({ a: 'Succeeded', b: 'Cancelled' }, { state: 'Failed' });
    expect(ends({ spec, status: cancelled }, { nodes: [a, b] })).toBe(false);
    const succeeded = started({ a: 'Succeeded', b: 'Failed' }, { state: 'Succeed' });
    expect(ends({ spec, status: succeeded }, { nodes: [a] })).toBe(false);
    expect(ends({ spec, status: succeeded }, { nodes: [a, b] })).toBe(true);
  });
});
