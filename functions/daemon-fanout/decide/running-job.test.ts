import { describe, expect, it } from 'vitest';
import type { DaemonJobSpec } from '#shared/api/daemon-job.ts';
import type { LedgerEntry } from '#shared/api/node-ledger.ts';
import { nodeJobName } from '#shared/domain/node-job-name.ts';
import { asUid } from '#shared/domain/objects.ts';
import { at, cordoned, daemonJob, job, node, snapshot, started } from '../testing/builders.ts';
import { after, decided } from '../testing/decided.ts';
import type { DaemonSnapshot } from '../snapshot.ts';
import { running, onRecord } from '../testing/running.ts';

describe('a running Job', () => {
  const owner = daemonJob({ status: started(onRecord('a', 'b')) });

  it('is left alone when its node is cordoned', () => {
    const nodes = [node('a', { skip: cordoned }), 'b'];
    const result = decided(snapshot(owner, { nodes, jobs: running('a', 'b') }), 5);
    expect(result.deletes).toEqual([]);
    expect(result.status.state).toBe('Running');
  });

  it('is asked why it does not run as soon as it is on record, also when others are already', () => {
    const owner = daemonJob({ status: started({ a: 'Started' }) });
    const jobs = running('a', 'b');
    const seen = snapshot(owner, { nodes: ['a', 'b'], jobs });
    const first = decided(seen, 5);
    expect(first.writesStatus).toBe(true);
    expect(first.again).toBe(5);
    expect(decided(after(seen, first), 5).again).toBeUndefined();
  });

  it('is on record as unknown while its node does not report', () => {
    const nodes = [node('a', { isSilent: true }), 'b'];
    const result = decided(snapshot(owner, { nodes, jobs: running('a', 'b') }), 5);
    expect(result.deletes).toEqual([]);
    expect(result.entry('a')).toMatchObject({ state: 'Unknown', reason: 'NodeNotReady' });
  });

  it('is deleted when its node is gone, which is no failure', () => {
    const seen = snapshot(owner, { nodes: ['b'], jobs: running('a', 'b') });
    const first = decided(seen, 5);
    expect(first.deletes).toEqual(['wipe-a']);
    expect(first.entry('a')).toMatchObject({ reason: 'NodeGone' });
    expect(first.events).toEqual(['NodeGone']);
    const jobs = [job('b', 'complete')];
    const second = decided({ ...after(seen, first), jobs }, 20);
    expect(second.status).toMatchObject({ state: 'Succeed', desired: 1, failed: 0 });
  });

  it('is on record before it is deleted with its node, so that no older view starts it again', () => {
    const unrecorded = daemonJob({ status: started({ b: 'Started' }) });
    const seen = snapshot(unrecorded, { nodes: ['b'], jobs: running('a', 'b') });
    const first = decided(seen, 5);
    expect(first.deletes).toEqual([]);
    expect(first.ledger('a')).toBe('Started');
    expect(first.again).toBe(5);
    const second = decided(after(seen, first), 5);
    expect(second.deletes).toEqual(['wipe-a']);
    expect(second.again).toBeUndefined();
    const behind = { ...after(seen, first), nodes: [node('a'), node('b')], jobs: running('b') };
    expect(decided(behind, 5).creates).toEqual([]);
  });

  it('is on record before it gives way to another machine of its name', () => {
    const older = job('a', 'running', { machine: 'uid-of-old' });
    const seen = snapshot(daemonJob({ status: started({}) }), {
      nodes: [node('a', { creationTimestamp: at(600) })],
      jobs: [older],
    });
    const first = decided(seen, 605);
    expect(first.deletes).toEqual([]);
    expect(decided(after(seen, first), 605).deletes).toContain('wipe-a');
  });

  it.each(['complete', 'failed'] as const)(
    'is on record before the name of one that has ended (%s) is made free: a view that shows its machine still starts it on no account',
    (end) => {
      const old = node('a', { uid: asUid('uid-of-old') });
      const seen = snapshot(daemonJob({ status: started({}) }), {
        nodes: [node('a', { creationTimestamp: at(600) }), 'b'],
        jobs: [job('a', end, { machine: 'uid-of-old' }), ...running('b')],
      });
      const first = decided(seen, 605);
      expect(first.deletes).toEqual([]);
      expect(first.again).toBe(605);
      const known = after(seen, first);
      expect(decided(known, 605).deletes).toEqual(['wipe-a']);
      expect(
        decided({ ...known, nodes: [old, node('b')], jobs: running('b') }, 606).creates,
      ).toEqual([]);
    },
  );

  it('is not deleted on the word of a view that shows an older machine', () => {
    const older = node('a', { uid: asUid('uid-of-old'), creationTimestamp: at(-7200) });
    const result = decided(snapshot(owner, { nodes: [older, 'b'], jobs: running('a', 'b') }), 5);
    expect(result.deletes).toEqual([]);
    expect(result.again).toBe(60);
  });

  it.each([
    ['of which nothing is on record', {}],
    [
      'that is on record as started: the exclusion may be lifted at once',
      { status: owner.status! },
    ],
  ])('%s is deleted for its node only when the exclusion is on record', (_, known) => {
    const excluding = daemonJob({ spec: { excludeNodeList: 'a' }, ...known });
    const seen = snapshot(excluding, { nodes: ['a', 'b'], jobs: running('a', 'b') });
    const first = decided(seen, 600);
    expect(first.deletes).toEqual([]);
    expect(first.ledger('a')).toBe('Retired');
    expect(first.again).toBe(600);
    expect(decided(after(seen, first), 601).deletes).toEqual(['wipe-a']);
  });

  it('is suspended with the others until its exclusion is on record', () => {
    const spec = { excludeNodeList: 'a', suspend: true };
    const excluding = daemonJob({ spec, status: owner.status! });
    const result = decided(snapshot(excluding, { nodes: ['a', 'b'], jobs: running('a', 'b') }), 5);
    expect(result.deletes).toEqual([]);
    expect(result.patches).toHaveLength(2);
  });

  it('is deleted when its node is excluded, and runs anew under another name when it no longer is', () => {
    const excluding = daemonJob({ spec: { excludeNodeList: 'a' }, status: owner.status! });
    const seen = snapshot(excluding, { nodes: ['a', 'b'], jobs: running('a', 'b') });
    const first = decided(seen, 5);
    expect(first.status).toMatchObject({ desired: 1, active: 1 });
    const recorded = after(seen, first);
    expect(decided(recorded, 6).deletes).toEqual(['wipe-a']);
    const gone = { ...recorded, jobs: running('b') };
    const back = { ...gone, daemonJob: { ...gone.daemonJob, spec: owner.spec } };
    const second = decided(back, 10);
    expect(second.creates).toEqual(['a']);
    expect(second.created[0]?.metadata.name).not.toBe('wipe-a');
    expect(second.ledger('a')).toBe('Started/1');
  });

  describe('that replaced one of an excluded node counts before it is on record', () => {
    const retired = started({ a: 'Retired' });
    const seen = (state: 'running' | 'complete', spec: Partial<DaemonJobSpec> = {}) =>
      snapshot(daemonJob({ status: retired, spec }), {
        nodes: ['a'],
        jobs: [job('a', state, { attempt: 1 })],
      });

    it('while it runs', () => {
      const result = decided(seen('running'));
      expect([result.creates, result.events]).toEqual([[], []]);
      expect(result.ledger('a')).toBe('Started/1');
    });

    it('as a success, also after the deadline of the DaemonJob', () => {
      const late = decided(seen('complete', { activeDeadlineSeconds: 5 }), 60);
      expect(late.ledger('a')).toBe('Succeeded/1');
      expect(late.status.state).toBe('Succeed');
    });

    it('and is deleted if the node is excluded again', () => {
      const again = seen('running', { excludeNodeList: 'a' });
      const first = decided(again);
      expect(first.ledger('a')).toBe('Retired/1');
      const [replacement] = again.jobs;
      expect(decided(after(again, first), 1).deletes).toEqual([replacement?.name]);
    });
  });

  describe('that still terminates when its node is no longer excluded is waited for', () => {
    const excluding = daemonJob({ spec: { excludeNodeList: 'a' }, status: owner.status! });
    const seen = snapshot(excluding, { nodes: ['a', 'b'], jobs: running('a', 'b') });
    const first = after(seen, decided(seen, 5));
    const terminating = job('a', 'running', { deletionTimestamp: at(5) });
    const jobs = [terminating, ...running('b')];
    const lifted = { ...first, daemonJob: { ...first.daemonJob, spec: owner.spec }, jobs };

    it('at every look until it is gone', () => {
      let now: DaemonSnapshot = lifted;
      for (const second of [6, 7, 8]) {
        const look = decided(now, second);
        expect(look.creates).toEqual([]);
        expect(look.entry('a')).toMatchObject({ state: 'Blocked', reason: 'Leaving' });
        now = after(now, look);
      }
      const last = decided({ ...now, jobs: running('b') }, 9);
      expect(last.creates).toEqual(['a']);
      expect(last.ledger('a')).toBe('Started/1');
    });

    it('and is deleted if nothing had deleted it before', () => {
      const jobs = running('a', 'b');
      const kept = decided({ ...lifted, jobs }, 6);
      expect([kept.deletes, kept.ledger('a')]).toEqual([['wipe-a'], 'Retired']);
      const ended = { ...after({ ...lifted, jobs }, kept), jobs: [job('a', 'complete')] };
      expect(decided(ended, 7).ledger('a')).toBe('Succeeded');
    });

    it('although its node is excluded once more and freed once more', () => {
      const waits = after(lifted, decided(lifted, 6));
      const again = { ...waits, daemonJob: { ...waits.daemonJob, spec: excluding.spec } };
      const excluded = after(again, decided(again, 7));
      const freed = { ...excluded, daemonJob: { ...excluded.daemonJob, spec: owner.spec } };
      expect(decided(freed, 8).creates).toEqual([]);
      const last = decided({ ...freed, jobs: running('b') }, 9);
      expect(last.creates).toEqual(['a']);
    });

    it('although a retry by hand comes in between', () => {
      const waits = after(lifted, decided(lifted, 6));
      const { metadata } = waits.daemonJob;
      const annotated = { ...metadata, annotations: { 'millrace.dev/retry': '1' } };
      const retried = { ...waits, daemonJob: { ...waits.daemonJob, metadata: annotated } };
      expect(decided(retried, 7).creates).toEqual([]);
    });

    it('although its node is cordoned meanwhile', () => {
      const cordoning = { ...lifted, nodes: [node('a', { skip: cordoned }), node('b')] };
      const waits = after(cordoning, decided(cordoning, 6));
      const uncordoned = { ...waits, nodes: lifted.nodes };
      expect(decided(uncordoned, 7).creates).toEqual([]);
    });
  });

  it('loses the TTL that another client gave it, and gets it back when its end is recorded', () => {
    const early = snapshot(owner, {
      nodes: ['a', 'b'],
      jobs: [job('a', 'running', { ttlSecondsAfterFinished: 0 }), ...running('b')],
    });
    const note = { 'millrace.dev/ttl-seconds-after-finished': '0' };
    expect(decided(early, 5).patches).toEqual([
      { metadata: { annotations: note }, spec: { ttlSecondsAfterFinished: null } },
    ]);
    const ended = job('a', 'complete', { annotations: { 'millrace.dev/node-name': 'a', ...note } });
    const over = { ...early, jobs: [ended, ...running('b')] };
    const recorded = decided(over, 10);
    expect(recorded.patches).toEqual([]);
    expect(recorded.ledger('a')).toBe('Succeeded');
    expect(decided(after(over, recorded), 11).patches).toEqual([
      { spec: { ttlSecondsAfterFinished: 0 } },
    ]);
  });

  it('that is gone has failed, and its result is not known', () => {
    const seen = snapshot(owner, {
      nodes: ['a', 'b'],
      jobs: running('b'),
      confirmedMissing: ['wipe-a'],
    });
    const result = decided(seen, 5);
    expect(result.entry('a')).toMatchObject({ state: 'Failed', reason: 'ChildDeleted' });
    expect(result.entry('a')?.message).toContain('its result is not known');
    expect(result.creates).toEqual([]);
  });

  it('that is on record and not in sight is neither missed nor created again', () => {
    const result = decided(snapshot(owner, { nodes: ['a', 'b'], jobs: running('b') }), 5);
    expect(result.creates).toEqual([]);
    expect(result.status.state).toBe('Running');
    expect(result.status.failed ?? 0).toBe(0);
  });

  it.each<[string, Readonly<Record<string, LedgerEntry>>, number]>([
    ['at first', {}, 0],
    ['as a retry', { c: { state: 'Retrying', attempt: 1 } }, 1],
  ])('that vanished before it was on record has failed, begun %s', (_, entry, attempt) => {
    const status = started({ a: 'Started', b: 'Started', ...entry });
    const seen = snapshot(daemonJob({ status }), {
      nodes: ['a', 'b', node('c', { creationTimestamp: at(3) })],
      jobs: running('a', 'b'),
      confirmedMissing: [nodeJobName('wipe', 'c', attempt)],
    });
    const result = decided(seen, 5);
    expect(result.entry('c')).toMatchObject({ reason: 'ChildDeleted' });
    expect(result.creates).toEqual([]);
  });
});

describe('what is said of a machine that is gone', () => {
  const gone = { name: 'a', state: 'Running', reason: 'NodeGone' } as const;

  it('is not said of the one that has its name, which still waits for the Job to go', () => {
    const nodes = [{ name: 'a', state: 'Blocked', reason: 'Replacing' } as const, gone];
    const owner = daemonJob({ status: started({}, { nodes }) });
    const result = decided(snapshot(owner, { nodes: ['a'] }), 5);
    expect(result.creates).toEqual(['a']);
  });

  it('is not said of how it ended, by a view that is behind', () => {
    for (const entry of [gone, { name: 'a', state: 'Blocked', reason: 'Replacing' } as const]) {
      const owner = daemonJob({ status: started({ a: 'Failed' }, { nodes: [entry] }) });
      const result = decided(snapshot(owner, { nodes: ['a', 'b'] }), 5);
      expect(result.entry('a')).toEqual({ name: 'a', state: 'Failed', jobName: 'wipe-a' });
    }
  });
});
