import { describe, expect, it } from 'vitest';
import type { DaemonJobSpec, DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import { takesForAbsent } from '../takes-for-absent.ts';
import { needsCluster } from '../observe/needs.ts';
import { isOver } from '../subscription/unfinished.ts';
import { at, daemonJob, job, node, ownerUid, snapshot, started } from '../testing/builders.ts';
import { after, decided, withRetry } from '../testing/decided.ts';

/** a runs, b waits for its slot. */
const onA = started({ a: 'Started' });

function look(
  spec: Partial<DaemonJobSpec>,
  jobs: readonly ObservedJob[] = [job('a', 'running')],
  status: DaemonJobStatus = onA,
  more = {},
) {
  const owner = daemonJob({ spec: { parallelism: 1, ...spec }, status, ...more });
  return snapshot(owner, { nodes: ['a', 'b'], jobs });
}

const gone = { jobs: [], confirmedMissing: ['wipe-a'] };

describe('spec.shutdown of a DaemonJob: Stop (rule 25)', () => {
  const spec = { shutdown: 'Stop' } as const;

  it('starts no new node, lets run what runs, and says so', () => {
    const result = decided(look(spec), 5);
    expect([result.creates, result.deletes, result.patches]).toEqual([[], [], []]);
    expect(result.status).toMatchObject({
      state: 'Running',
      reason: 'ShuttingDown',
      message:
        'spec.shutdown is Stop: nothing new starts, and what runs still ends; to delete it as well set spec.shutdown to Terminate',
      waiting: 1,
    });
    expect(result.condition('Progressing')).toBe('True/ShuttingDown');
    expect(result.events).toContain('ShuttingDown');
  });

  it('ends as Failed with reason Shutdown when what ran has ended, and records how it did', () => {
    const seen = look(spec, [job('a', 'complete')]);
    const end = decided(seen, 20);
    expect(end.ledger('a')).toBe('Succeeded');
    expect(end.status).toMatchObject({
      state: 'Failed',
      reason: 'Shutdown',
      message: 'shut down (spec.shutdown) before it had succeeded on these nodes: b',
      completionTime: at(9),
    });
    expect(end.condition('Failed')).toBe('True/Shutdown');
    expect(takesForAbsent(seen, end.decision)).toBe(resources.Job);
  });

  it('succeeds when every node has', () => {
    const one = { ...look(spec, [job('a', 'complete')]), nodes: [node('a')] };
    expect(decided(one, 20).status.state).toBe('Succeed');
  });

  it('is no cause of a failure that keeps nothing from running', () => {
    const one = { ...look(spec, [job('a', 'failed')]), nodes: [node('a')] };
    expect(decided(one, 20).status).toMatchObject({ state: 'Failed', reason: 'NodeFailed' });
  });

  it('deletes suspended Jobs, which would never end, and resumes none of them', () => {
    const marks = { ...job('a', 'running').annotations, [annotations.suspendedBy]: ownerUid };
    const held = [job('a', 'suspended', { annotations: marks })];
    for (const suspend of [true, false]) {
      const result = decided(look({ ...spec, suspend }, held), 5);
      expect([result.deletes, result.patches]).toEqual([['wipe-a'], []]);
    }
  });

  it('deletes a gate and nothing beside it, also with failurePolicy FailFast', () => {
    const both = started({ a: 'Started', b: 'Started' });
    const jobs = [job('a', 'suspended'), job('b', 'running')];
    const fast = { ...spec, failurePolicy: 'FailFast' } as const;
    const first = decided(look(fast, jobs, both), 5);
    expect(first.deletes).toEqual(['wipe-a']);
    const next = { ...after(look(fast, jobs, both), first), jobs: [job('b', 'running')] };
    const second = decided({ ...next, confirmedMissing: ['wipe-a'] }, 6);
    expect(second.ledger('a')).toBe('Cancelled');
    expect(second.deletes).toEqual([]);
  });

  it('leaves the deadline: what still runs then is deleted', () => {
    const late = { ...spec, activeDeadlineSeconds: 60 };
    expect(decided(look(late), 5).again).toBe(60);
    const overdue = decided(look(late), 60);
    expect(decided(after(look(late), overdue), 60).deletes).toEqual(['wipe-a']);
  });

  it('names what keeps a running node from its end', () => {
    const trouble = {
      ...{ pod: 'wipe-a-x', reason: 'ImagePullBackOff', message: 'no image', since: at(1) },
    };
    const held = { ...job('a', 'running'), pods: { active: 1, failed: 0, trouble } };
    const { status } = decided(look(spec, [held]), 120);
    expect(status.reason).toBe('ShuttingDown');
    expect(status.message).toContain('no image');
  });
});

describe('spec.shutdown of a DaemonJob: Terminate (rule 25)', () => {
  const spec = { shutdown: 'Terminate' } as const;

  it('deletes what runs, and ends when it is gone', () => {
    const first = decided(look(spec), 5);
    expect(first.deletes).toEqual(['wipe-a']);
    expect(first.status).toMatchObject({ state: 'Running', reason: 'ShuttingDown' });
    const end = decided({ ...after(look(spec), first), ...gone }, 15);
    expect(end.entry('a')).toMatchObject({
      state: 'Cancelled',
      message: 'Job wipe-a was deleted while the DaemonJob was shut down (spec.shutdown)',
    });
    expect(end.status).toMatchObject({ state: 'Failed', reason: 'Shutdown' });
    expect(end.status.message).toContain('a, b');
  });

  it('writes a Job down before it is deleted (law 3)', () => {
    const seen = look(spec, [job('a', 'running')], started());
    const first = decided(seen, 5);
    expect([first.deletes, first.ledger('a'), first.again]).toEqual([[], 'Started', 5]);
    expect(decided(after(seen, first), 6).deletes).toEqual(['wipe-a']);
  });

  it('deletes what Stop left running, and what a suspension stops', () => {
    const stopped = decided(look({ shutdown: 'Stop' }), 5);
    expect(decided(after(look(spec), stopped), 6).deletes).toEqual(['wipe-a']);
    const suspended = decided(look({ ...spec, suspend: true }), 5);
    expect([suspended.deletes, suspended.patches]).toEqual([['wipe-a'], []]);
    expect(suspended.status).toMatchObject({ state: 'Suspended', reason: 'ShuttingDown' });
  });
});

describe('spec.shutdown of a DaemonJob before the start and after the end (rule 25)', () => {
  const spec = { shutdown: 'Stop' } as const;
  const waiting = (more: Parameters<typeof daemonJob>[0], nodes: readonly string[] = ['a']) =>
    snapshot(daemonJob(more), { nodes });

  it.each([
    ['at once', {}],
    ['while it is suspended', { suspend: true }],
    ['while it is paused', { paused: true }],
  ])('ends one that has not started, %s, without a start', (_, more) => {
    const result = decided(waiting({ spec: { ...spec, ...more } }));
    expect(result.creates).toEqual([]);
    expect(result.status).toMatchObject({ state: 'Failed', reason: 'Shutdown' });
    expect(result.status.startTime).toBeUndefined();
  });

  it('ends one that waits for its first node', () => {
    const { status } = decided(waiting({ spec }, []));
    expect(status).toMatchObject({ state: 'Failed', reason: 'Shutdown' });
    expect(status.message).toBe('shut down (spec.shutdown) before any node could run it');
  });

  it('starts it by hand only, once it is taken back', () => {
    const { status } = decided(waiting({ spec }));
    const back = { status, generation: 2 };
    expect(decided(waiting(back)).creates).toEqual([]);
    expect(needsCluster(daemonJob(back))).toBe(false);
    const asked = waiting({ ...back, retry: '1' });
    const recorded = decided(asked, 5);
    expect([recorded.creates, recorded.status.retryNonce, recorded.again]).toEqual([[], '1', 5]);
    expect(decided(after(asked, recorded), 6).creates).toEqual(['a']);
  });

  it('refuses a retry while it is set, and says what to do (rule 13)', () => {
    const status = started(
      { a: 'Cancelled' },
      { state: 'Failed', reason: 'Shutdown', completionTime: at(9) },
    );
    const refused = decided(look(spec, [], status, { retry: '1' }), 20);
    expect(refused.creates).toEqual([]);
    expect(refused.condition('RetryRefused')).toBe('True/Shutdown');
    expect(refused.events).toContain('RetryRefused');
    expect(refused.status.retryNonce).toBe('1');
    const message = 'nothing is retried: spec.shutdown is Stop: remove it first, then retry';
    expect(refused.decision.reasons).toContainEqual({ code: 'Shutdown', message });
    const accepted = decided(withRetry(look({}, [], refused.status, { retry: '2' }), 30), 30);
    expect(accepted.creates).toEqual(['a']);
    expect(accepted.condition('RetryRefused')).toBe('False/Accepted');
  });

  it('keeps its record until a retry that is refused is answered', () => {
    const ttl = { ...spec, ttlSecondsAfterFinished: 5 };
    const over = { state: 'Failed', reason: 'Shutdown', completionTime: at(9) } as const;
    const seen = look(ttl, [], started({ a: 'Cancelled' }, over), { retry: '1' });
    const first = decided(seen, 20);
    expect(first.deletes).toEqual([]);
    expect(first.events).toEqual(['RetryRefused']);
    expect(decided(after(seen, first), 20).deletes).toEqual(['wipe']);
  });

  it('has no effect after the end', () => {
    const status = started({ a: 'Succeeded' }, { state: 'Succeed', completionTime: at(9) });
    const result = decided(look(spec, [], status, { generation: 2 }), 20);
    expect(result.status).toMatchObject({ state: 'Succeed', completionTime: at(9) });
  });

  it('ends one with completionPolicy Never, which goes on once it is removed', () => {
    const endless = { ...spec, completionPolicy: 'Never' } as const;
    const seen = look(endless, [job('a', 'complete')]);
    const end = decided(seen, 20);
    expect(end.status).toMatchObject({ state: 'Failed', reason: 'Shutdown' });
    const later = { ...after(seen, end), jobs: [] };
    expect(decided(later, 30).decision.plan).toEqual([]);
    expect([isOver(later.daemonJob), needsCluster(later.daemonJob)]).toEqual([true, false]);
    const back = look({ completionPolicy: 'Never' }, [], end.status, { generation: 2 });
    expect(needsCluster(back.daemonJob)).toBe(true);
    expect(decided(back, 40).creates).toEqual(['b']);
  });

  it.each([
    ['Stop', []],
    ['Terminate', ['wipe-b']],
  ] as const)(
    'finds with a second %s the Jobs that one with completionPolicy Never started unrecorded',
    (shutdown, deletes) => {
      const status = started(
        { a: 'Succeeded' },
        { state: 'Failed', reason: 'Shutdown', completionTime: at(9) },
      );
      const endless = { shutdown, completionPolicy: 'Never' } as const;
      const jobs = [job('a', 'complete'), job('b', 'running')];
      const seen = look(endless, jobs, status, { generation: 3 });
      expect(needsCluster(seen.daemonJob)).toBe(true);
      const first = decided(seen, 20);
      expect(first.status).toMatchObject({ state: 'Running', reason: 'ShuttingDown', active: 1 });
      expect(first.ledger('b')).toBe('Started');
      expect(decided(after(seen, first), 21).deletes).toEqual(deletes);
    },
  );

  it('leaves the success of one with completionPolicy Never that had succeeded everywhere', () => {
    const endless = { ...spec, completionPolicy: 'Never' } as const;
    const status = started(
      { a: 'Succeeded', b: 'Succeeded' },
      { state: 'Succeed', completionTime: at(9) },
    );
    expect(decided(look(endless, [], status, { generation: 2 }), 20).status.state).toBe('Succeed');
  });
});
