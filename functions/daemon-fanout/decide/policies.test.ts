import { describe, expect, it } from 'vitest';
import type { DaemonJobSpec } from '#shared/api/daemon-job.ts';
import { annotations } from '#shared/domain/labels.ts';
import {
  at,
  cordoned,
  daemonJob,
  job,
  node,
  ownerUid,
  snapshot,
  started,
} from '../testing/builders.ts';
import type { DaemonSnapshot } from '../snapshot.ts';
import { after, decided, withRetry } from '../testing/decided.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 10}`);
const onRecord = (...of: readonly string[]) =>
  Object.fromEntries(of.map((name) => [name, 'Started' as const]));

describe('parallelism', () => {
  it('is a number of Jobs that have not ended, those that are being deleted among them', () => {
    const owner = daemonJob({ spec: { parallelism: 2 }, status: started(onRecord('n10')) });
    const leaving = job('n10', 'running', { deletionTimestamp: at(3) });
    const result = decided(snapshot(owner, { nodes: names(4), jobs: [leaving] }), 5);
    expect(result.creates).toEqual(['n11']);
    expect(result.status).toMatchObject({ waiting: 2 });
  });

  it('is a share of the nodes that are to run it, rounded up', () => {
    const owner = daemonJob({ spec: { parallelism: '10%' } });
    const result = decided(snapshot(owner, { nodes: names(25) }));
    expect(result.creates).toEqual(['n10', 'n11', 'n12']);
  });

  it('gives a slot on when a Job has ended, in the order of the names', () => {
    const owner = daemonJob({ spec: { parallelism: 2 }, status: started(onRecord('n10', 'n11')) });
    const jobs = [job('n10', 'complete'), job('n11', 'running')];
    expect(decided(snapshot(owner, { nodes: names(4), jobs }), 20).creates).toEqual(['n12']);
  });

  it('counts Jobs that are on record and not in sight', () => {
    const owner = daemonJob({ spec: { parallelism: 1 }, status: started(onRecord('n10')) });
    expect(decided(snapshot(owner, { nodes: names(3) }), 5).creates).toEqual([]);
  });
});

it('the status names the suspend policy that holds the DaemonJob', () => {
  const owner = daemonJob({ spec: { suspend: true } });
  const note = { policy: 'SuspendPolicy/default/nights', reason: 'WindowClosed', since: 'x' };
  const own = { 'millrace.dev/held': JSON.stringify(note) };
  const held = { ...owner, metadata: { ...owner.metadata, annotations: own } };
  const { status } = decided(snapshot(held, { nodes: ['a'] }));
  expect(status.message).toBe('held by SuspendPolicy/default/nights (WindowClosed)');
});

describe('the failure policy', () => {
  const failing = [job('a', 'failed'), job('b', 'running')];
  const withPolicy = (failurePolicy: 'Continue' | 'FailFast' | 'Pause') =>
    snapshot(
      daemonJob({ spec: { failurePolicy, parallelism: 2 }, status: started(onRecord('a', 'b')) }),
      { nodes: ['a', 'b', 'c'], jobs: failing },
    );

  it('Continue goes on with the others', () => {
    const result = decided(withPolicy('Continue'), 10);
    expect(result.creates).toEqual(['c']);
    expect(result.deletes).toEqual([]);
  });

  it('FailFast deletes what runs, starts nothing, and has failed when all is gone', () => {
    const seen = withPolicy('FailFast');
    const first = decided(seen, 10);
    expect(first.creates).toEqual([]);
    expect(first.deletes).toEqual(['wipe-b']);
    expect(first.status.state).toBe('Running');
    const gone = { jobs: [job('a', 'failed')], confirmedMissing: ['wipe-b'] };
    const second = decided({ ...after(seen, first), ...gone }, 15);
    expect(second.status).toMatchObject({ state: 'Failed', failed: 2 });
    expect(second.entry('b')).toMatchObject({ state: 'Cancelled' });
    expect(second.creates).toEqual([]);
  });

  it('FailFast writes down what runs before it deletes it', () => {
    const seen = withPolicy('FailFast');
    const status = started({ a: 'Started' });
    const result = decided({ ...seen, daemonJob: { ...seen.daemonJob, status } }, 10);
    expect(result.deletes).toEqual([]);
    expect(result.ledger('b')).toBe('Started');
    expect(result.again).toBe(10);
  });

  it('Pause starts nothing and stays so until failed nodes are retried', () => {
    const seen = withPolicy('Pause');
    const first = decided(seen, 10);
    expect(first.creates).toEqual([]);
    expect(first.deletes).toEqual([]);
    expect(first.status).toMatchObject({ state: 'Suspended', reason: 'NodeFailed' });
    const still = { ...after(seen, first), jobs: [job('a', 'failed'), job('b', 'complete')] };
    const second = decided(still, 30);
    expect(second.status).toMatchObject({ state: 'Suspended', reason: 'NodeFailed' });
    const { metadata } = seen.daemonJob;
    const retried = { ...metadata, annotations: { [annotations.retry]: '1' } };
    const paused = after(still, second);
    const asked = { ...paused, daemonJob: { ...paused.daemonJob, metadata: retried } };
    const third = decided(withRetry(asked, 40), 40);
    expect(third.creates).toEqual(['a', 'c']);
    expect(third.status.state).toBe('Running');
  });

  it('Pause holds nothing up where every node has its Job', () => {
    const seen = withPolicy('Pause');
    const result = decided({ ...seen, nodes: seen.nodes.slice(0, 2) }, 10);
    expect(result.status.state).toBe('Running');
  });

  it('Pause that holds nothing up leaves the deadline: what still runs then is stopped', () => {
    const seen = withPolicy('Pause');
    const spec = { ...seen.daemonJob.spec, activeDeadlineSeconds: 60 };
    const owner = { ...seen.daemonJob, spec };
    const limited = { ...seen, daemonJob: owner, nodes: seen.nodes.slice(0, 2) };
    const first = decided(limited, 10);
    expect(first.again).toBe(60);
    const late = after(limited, first);
    expect(decided(after(late, decided(late, 60)), 60).deletes).toEqual(['wipe-b']);
  });
});

describe('a retry by hand', () => {
  const status = started(
    { a: 'Failed', b: 'Succeeded', c: 'Cancelled' },
    { state: 'Failed', completionTime: at(9), retryNonce: '1' },
  );

  it('starts failed and cancelled nodes anew under another name; what succeeded stays', () => {
    const owner = daemonJob({ status, retry: '2' });
    const seen = snapshot(owner, { nodes: ['a', 'b', 'c'], jobs: [job('a', 'failed')] });
    expect(decided(seen, 60).events).toContain('RetryRequested');
    const result = decided(withRetry(seen, 60), 61);
    expect(result.creates).toEqual(['a', 'c']);
    expect(result.ledger('a')).toBe('Started/1');
    expect(result.status).toMatchObject({ state: 'Running', failed: 0, retryNonce: '2' });
    expect(result.created[0]?.metadata.name).not.toBe('wipe-a');
  });

  it('is reported each time, also when it is requested again before the end', () => {
    const status = started({ a: 'Failed', b: 'Started' });
    const requested = (retry: string) => {
      const seen = snapshot(daemonJob({ status, retry }), { nodes: ['a', 'b'] });
      const operations = decided(seen, 5).decision.plan.flat();
      const events = operations.filter((each) => each.kind === 'emitEvent');
      return events.find(({ reason }) => reason === 'RetryRequested')?.occurrence;
    };
    expect(requested('1')).not.toBe(requested('2'));
    expect(requested('1')).toBeDefined();
  });

  it('is one for one value', () => {
    const result = decided(snapshot(daemonJob({ status, retry: '1' }), { nodes: ['a', 'b'] }), 60);
    expect(result.decision.plan).toEqual([]);
  });

  it('waits for a node that cannot run it now', () => {
    const owner = daemonJob({ status, retry: '2' });
    const nodes = [node('a', { skip: cordoned }), 'b'];
    const result = decided(snapshot(owner, { nodes }), 60);
    expect(result.creates).toEqual([]);
    expect(result.status.state).toBe('Running');
    expect(result.entry('a')).toMatchObject({ state: 'Blocked', reason: 'Cordoned' });
  });
});

describe('while it is suspended', () => {
  it('stops what runs, with a mark, and starts nothing', () => {
    const owner = daemonJob({ spec: { suspend: true }, status: started(onRecord('a')) });
    const result = decided(snapshot(owner, { nodes: ['a', 'b'], jobs: [job('a', 'running')] }), 5);
    expect(result.creates).toEqual([]);
    expect(result.patches).toEqual([
      {
        metadata: { annotations: { [annotations.suspendedBy]: ownerUid } },
        spec: { suspend: true },
      },
    ]);
    expect(result.status.state).toBe('Suspended');
    expect(result.condition('Suspended')).toBe('False/Suspending');
  });

  it('says so when all has stopped', () => {
    const owner = daemonJob({ spec: { suspend: true }, status: started(onRecord('a')) });
    const result = decided(snapshot(owner, { nodes: ['a'], jobs: [job('a', 'suspended')] }), 5);
    expect(result.condition('Suspended')).toBe('True/Suspended');
  });

  it('resumes only what carries the mark', () => {
    const marked = { [annotations.suspendedBy]: ownerUid };
    const owner = daemonJob({ status: started(onRecord('a', 'b')) });
    const jobs = [
      job('a', 'suspended', { annotations: { ...job('a', 'running').annotations, ...marked } }),
      job('b', 'suspended'),
    ];
    const result = decided(snapshot(owner, { nodes: ['a', 'b'], jobs }), 5);
    expect(result.patches).toHaveLength(1);
    expect(result.entry('b')).toMatchObject({ state: 'Suspended', reason: 'ManualGate' });
  });
});

describe('while it is paused', () => {
  const owner = daemonJob({
    spec: { paused: true, parallelism: 1 },
    status: started(onRecord('a')),
  });

  it('lets what runs finish and starts nothing', () => {
    const seen = snapshot(owner, { nodes: ['a', 'b'], jobs: [job('a', 'running')] });
    const result = decided(seen, 5);
    expect(result.patches).toEqual([]);
    expect(result.creates).toEqual([]);
    expect(result.status).toMatchObject({ state: 'Suspended', reason: 'Paused' });
    expect(result.condition('Suspended')).toBe('True/Paused');
  });

  it('ends when nothing was left to start', () => {
    const seen = snapshot(owner, { nodes: ['a'], jobs: [job('a', 'complete')] });
    expect(decided(seen, 20).status.state).toBe('Succeed');
  });
});

describe('the deadline', () => {
  const spec = { activeDeadlineSeconds: 60 };
  const gone = { jobs: [], confirmedMissing: ['wipe-a'] };

  it('is looked at again when it comes, also when nothing happens', () => {
    const owner = daemonJob({ spec, status: started(onRecord('a')) });
    const result = decided(snapshot(owner, { nodes: ['a'], jobs: [job('a', 'running')] }), 5);
    expect(result.again).toBe(60);
  });

  it('deletes what runs, and fails it', () => {
    const owner = daemonJob({ spec, status: started(onRecord('a')) });
    const seen = snapshot(owner, { nodes: ['a', 'b'], jobs: [job('a', 'running')] });
    const late = decided(seen, 61);
    const first = decided(after(seen, late), 61);
    expect(first.deletes).toEqual(['wipe-a']);
    expect(first.creates).toEqual([]);
    // Its Pods may take a while, and an event reports their end.
    expect(first.again).toBeUndefined();
    const second = decided({ ...after(seen, first), ...gone }, 63);
    expect(second.status).toMatchObject({
      state: 'Failed',
      reason: 'DeadlineExceeded',
      message:
        'its deadline passed (spec.activeDeadlineSeconds) before it had succeeded on these nodes: a, b',
    });
    expect(second.events).not.toContain('DeadlineExceeded');
  });

  it('is on record, with an Event, before anything is deleted for it', () => {
    const owner = daemonJob({ spec, status: started(onRecord('a')) });
    const seen = snapshot(owner, { nodes: ['a', 'b'], jobs: [job('a', 'running')] });
    const late = decided(seen, 61);
    expect([late.deletes, late.events, late.again]).toEqual([[], ['DeadlineExceeded'], 61]);
    expect(late.status).toMatchObject({
      state: 'Running',
      reason: 'DeadlineExceeded',
      message:
        'its deadline passed (spec.activeDeadlineSeconds): nothing new starts, and what runs is deleted',
    });
    expect(late.condition('Progressing')).toBe('True/DeadlineExceeded');
    expect(decided(after(seen, late), 61).events).toEqual([]);
  });

  it.each<[string, Partial<DaemonJobSpec>]>([
    ['suspended and resumed', {}],
    ['given more time', { activeDeadlineSeconds: 600 }],
  ])('starts no further node of one that is %s while what runs is deleted', (_, then) => {
    const owner = daemonJob({ spec, status: started(onRecord('a')) });
    const leaving = [job('a', 'running', { deletionTimestamp: at(61) })];
    const seen = snapshot(owner, { nodes: ['a', 'b'], jobs: leaving });
    const withSpec = (from: DaemonSnapshot, of: Partial<DaemonJobSpec>) => ({
      ...from,
      daemonJob: { ...from.daemonJob, spec: { ...from.daemonJob.spec, ...of } },
    });
    const late = after(seen, decided(seen, 61));
    const held = withSpec(late, { suspend: true });
    const stopped = decided(held, 62);
    expect(stopped.status).toMatchObject({ state: 'Suspended', reason: 'DeadlineExceeded' });
    const resumed = withSpec(after(held, stopped), { suspend: false, ...then });
    const again = decided(resumed, 63);
    expect([again.creates, again.events]).toEqual([[], ['Resumed']]);
    const end = decided({ ...after(resumed, again), ...gone }, 64);
    expect(end.creates).toEqual([]);
    expect(end.entry('a')?.state).toBe('Cancelled');
    expect(end.status).toMatchObject({ state: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('fails nothing that every node has succeeded with', () => {
    const owner = daemonJob({ spec, status: started(onRecord('a')) });
    const seen = snapshot(owner, { nodes: ['a'], jobs: [job('a', 'complete')] });
    expect(decided(seen, 61).status.state).toBe('Succeed');
  });

  it('writes down at once what runs, and deletes it then', () => {
    const owner = daemonJob({ spec, status: started({ a: 'Succeeded', b: 'Started' }) });
    const seen = snapshot(owner, { nodes: ['a', 'b'], jobs: [job('b', 'running')] });
    const { status } = decided(seen, 59);
    const { ledger = {} } = started({ a: 'Succeeded' });
    const unrecorded = { ...status, ledger, lastUpdateTime: at(60) };
    const late = { ...seen, daemonJob: { ...owner, status: unrecorded } };
    const first = decided(late, 60.7);
    expect(first.deletes).toEqual([]);
    expect(first.ledger('b')).toBe('Started');
    expect(decided(after(late, first), 60.8).deletes).toEqual(['wipe-b']);
  });

  it('is counted anew from a resumption', () => {
    const resumed = {
      type: 'Suspended',
      status: 'False',
      reason: 'Resumed',
      message: '',
      lastTransitionTime: at(50),
    } as const;
    const status = started(onRecord('a'), { conditions: [resumed] });
    const owner = daemonJob({ spec, status });
    const result = decided(snapshot(owner, { nodes: ['a'], jobs: [job('a', 'running')] }), 61);
    expect(result.deletes).toEqual([]);
    expect(result.again).toBe(110);
  });

  it('is counted anew from a retry that takes a failure back, and from no other', () => {
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'NodeFailed',
      message: '',
      lastTransitionTime: at(50),
    } as const;
    const over = { state: 'Failed', completionTime: at(50), conditions: [failed] } as const;
    const retried = daemonJob({ spec, status: started({ a: 'Failed' }, over), retry: '1' });
    const first = decided(withRetry(snapshot(retried, { nodes: ['a'] }), 100), 101);
    expect(first.creates).toEqual(['a']);
    expect(first.again).toBe(160);

    const running = daemonJob({ spec, status: started(onRecord('a')), retry: '1' });
    const seen = snapshot(running, { nodes: ['a'], jobs: [job('a', 'running')] });
    expect(decided(seen, 40).again).toBe(60);
  });

  it('does not run while a failure holds it back', () => {
    const status = started({ a: 'Failed', b: 'Succeeded' });
    const owner = daemonJob({ spec: { ...spec, failurePolicy: 'Pause' }, status });
    const seen = snapshot(owner, { nodes: ['a', 'b', 'c'] });
    const first = decided(seen, 10);
    expect(first.status.state).toBe('Suspended');
    expect(first.again).toBeUndefined();
    expect(decided(after(seen, first), 100).decision.plan).toEqual([]);
    expect(decided(after(seen, first), 100).again).toBeUndefined();
  });

  it('does not run while it is suspended', () => {
    const owner = daemonJob({ spec: { ...spec, suspend: true }, status: started(onRecord('a')) });
    const result = decided(snapshot(owner, { nodes: ['a'], jobs: [job('a', 'suspended')] }), 90);
    expect(result.deletes).toEqual([]);
    expect(result.status.state).toBe('Suspended');
  });
});

describe('the time to live', () => {
  const ended = started({ a: 'Succeeded' }, { state: 'Succeed', completionTime: at(10) });
  const owner = daemonJob({ spec: { ttlSecondsAfterFinished: 30 }, status: ended });

  it('is waited for', () => {
    expect(decided(snapshot(owner), 20).again).toBe(40);
  });

  it('ends in a deletion of the version that was decided on', () => {
    const result = decided(snapshot(owner), 41);
    expect(result.deletes).toEqual(['wipe']);
    expect(result.decision.plan[0]?.[0]).toMatchObject({ resourceVersion: '100' });
  });
});

describe('a refusal', () => {
  const nodes = ['a', 'b', 'c', 'd', 'e'];
  const rejected = (...of: readonly string[]) =>
    of.map((name) => ({
      name: `wipe-${name}`,
      code: 'QuotaExceeded' as const,
      message: 'no more',
    }));

  it('is reported, and the others are tried at once', () => {
    const seen = snapshot(daemonJob(), { nodes, rejections: rejected('a') });
    const first = decided(seen);
    expect(first.creates).toEqual([]);
    expect(first.entry('a')).toMatchObject({ state: 'Blocked', reason: 'QuotaExceeded' });
    expect(first.condition('Blocked')).toBe('True/QuotaExceeded');
    expect(first.again).toBe(0);
    const second = decided({ ...after(seen, first), rejections: [] });
    expect(second.creates).toEqual(['b', 'c', 'd', 'e', 'a']);
  });

  it('of several one after another is waited for, ever longer', () => {
    const seen = snapshot(daemonJob(), { nodes, rejections: rejected('a') });
    const first = decided(seen);
    const second = decided({ ...after(seen, first), rejections: rejected('b') }, 0);
    const third = decided({ ...after(seen, second), rejections: rejected('c') }, 0);
    expect(third.again).toBe(5);
    const later = decided({ ...after(seen, third), rejections: rejected('d') }, 20);
    expect(later.again).toBe(40);
  });

  it('causes a wait where it is unknown which nodes were refused', () => {
    const failed = names(100).map((name) => ({ name, state: 'Failed' as const }));
    const gone = Object.fromEntries(names(100).map((name) => [name, 'Failed' as const]));
    const owner = daemonJob({ status: started(gone, { nodes: failed }) });
    const seen = snapshot(owner, { nodes: [...names(100), 'x', 'y'], rejections: rejected('x') });
    expect(decided(seen, 10).again).toBe(15);
  });

  it('is not waited for while nothing may start', () => {
    const seen = snapshot(daemonJob(), { nodes: ['a'], rejections: rejected('a') });
    const { daemonJob: owner, ...rest } = after(seen, decided(seen));
    const spec = { ...owner.spec, paused: true };
    const paused = { ...rest, daemonJob: { ...owner, spec }, rejections: [] };
    expect(decided(paused, 10).creates).toEqual([]);
    expect(decided(paused, 10).again).toBeUndefined();
  });

  it('is over when the Job is there', () => {
    const seen = snapshot(daemonJob(), { nodes: ['a'], rejections: rejected('a') });
    const first = decided(seen);
    const jobs = [job('a', 'running')];
    const second = decided({ ...after(seen, first), rejections: [], jobs }, 10);
    expect(second.condition('Blocked')).toBe('False/NotBlocked');
    expect(second.status.nodes).toBeUndefined();
  });
});

describe('progress', () => {
  const status = started(onRecord(...names(4)), { lastUpdateTime: at(10), active: 4, desired: 4 });
  const jobs = [
    job('n10', 'complete'),
    ...names(4)
      .slice(1)
      .map((name) => job(name, 'running')),
  ];
  const seen = snapshot(daemonJob({ status }), { nodes: names(4), jobs });
  const settled = after(
    seen,
    decided({ ...seen, jobs: names(4).map((name) => job(name, 'running')) }, 12),
  );
  const news = { ...settled, jobs };

  it('is reported at most once a second', () => {
    const soon = decided(news, 12.5);
    expect(soon.writesStatus).toBe(false);
    expect(soon.again).toBe(13);
    expect(decided(news, 13).status.succeeded).toBe(1);
  });

  it('waits longer under load', () => {
    expect(decided(news, 13, true).again).toBe(17);
  });

  it('is reported at once where a Job could vanish without a trace', () => {
    const blind = { ...news };
    delete blind.noticesRemovals;
    expect(decided(blind, 12.5).writesStatus).toBe(true);
  });

  it('does not hold back the first failure', () => {
    const failing = [job('n10', 'failed'), ...jobs.slice(1)];
    expect(decided({ ...news, jobs: failing }, 12.5).status.failed).toBe(1);
  });
});
