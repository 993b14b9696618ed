import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '#shared/api/node-ledger.ts';
import { labels } from '#shared/domain/labels.ts';
import { nodeJobName } from '#shared/domain/node-job-name.ts';
import { asUid } from '#shared/domain/objects.ts';
import { withWarnings } from './snapshot.ts';
import {
  at,
  t0,
  cordoned,
  daemonJob,
  job,
  node,
  ownerName,
  snapshot,
  started,
} from './testing/builders.ts';
import { after, decided, withRetry } from './testing/decided.ts';
import type { DaemonSnapshot } from './snapshot.ts';

const running = (...names: readonly string[]) => names.map((name) => job(name, 'running'));
const onRecord = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'Started' as const]));

describe('a DaemonJob without a status', () => {
  it('gives every node its Job, by name, in stages that grow', () => {
    const nodes = ['d', 'b', 'a', 'c', 'e', 'f', 'g', 'h'].sort();
    const result = decided(snapshot(daemonJob(), { nodes }));
    expect(result.creates).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    expect(result.stages).toEqual([1, 2, 4, 1]);
    expect(result.status).toMatchObject({ state: 'Running', desired: 8, active: 8, waiting: 0 });
    expect(result.ledger('a')).toBe('Started');
    expect(result.events).toEqual(['Started']);
  });

  it('pins each Job to its node, past what the template asks of affinity, and never restarts', () => {
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
      podAntiAffinity: {},
    };
    const spec = {
      template: {
        spec: { restartPolicy: 'OnFailure', affinity, containers: [{ name: 'main' }] },
      },
      globalParams: { env: [{ name: 'FOO', value: 'bar' }], labels: { key1: 'value1' } },
    };
    const [created] = decided(snapshot(daemonJob({ spec }), { nodes: ['a.b'] })).created;
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['a.b'] }];
    expect(created?.spec).toMatchObject({
      backoffLimit: 0,
      template: {
        metadata: { labels: { key1: 'value1', [labels.nodeUid]: 'uid-of-a.b' } },
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'main', env: [{ name: 'FOO', value: 'bar' }] }],
          affinity: {
            podAntiAffinity: {},
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchFields }],
              },
            },
          },
        },
      },
    });
    expect(created?.metadata.name).toMatch(/^wipe-a-b-[0-9a-f]{8}$/);
    expect(created?.metadata.annotations?.['millrace.dev/node-name']).toBe('a.b');
  });

  it('tolerates everything where all nodes are meant', () => {
    const toleration = { key: 'a', operator: 'Exists' };
    const template = { spec: { tolerations: [toleration], containers: [{ name: 'main' }] } };
    const owner = daemonJob({ spec: { eligibility: 'All', template } });
    const [created] = decided(snapshot(owner, { nodes: ['a'] })).created;
    expect(created?.spec).toMatchObject({
      template: { spec: { tolerations: [toleration, { operator: 'Exists' }] } },
    });
  });

  it('adopts what an earlier pass created, and writes it down', () => {
    const result = decided(snapshot(daemonJob(), { nodes: ['a', 'b'], jobs: running('a') }), 5);
    expect(result.creates).toEqual(['b']);
    expect(result.status).toMatchObject({ active: 2, startTime: at(0) });
  });
});

it('starts on a thousand nodes in one decision, and on the next thousand at once', () => {
  const nodes = Array.from({ length: 1_500 }, (_, index) => `n${String(index).padStart(4, '0')}`);
  const started = [0, 1_000].map((count) => {
    const jobs = nodes.slice(0, count).map((name) => job(name, 'pending'));
    const { creates, decision } = decided(snapshot(daemonJob(), { nodes, jobs }));
    return { first: creates[0], count: creates.length, again: decision.requeueAtMs === t0 };
  });
  expect(started).toEqual([
    { first: 'n0000', count: 1_000, again: true },
    { first: 'n1000', count: 500, again: false },
  ]);
});

describe('nodes that it leaves out', () => {
  it('are those that are excluded; an unknown name is reported and is no error', () => {
    const owner = daemonJob({ spec: { excludeNodeList: ' b ,,ghost, ' } });
    const result = decided(snapshot(owner, { nodes: ['a', 'b'] }));
    expect(result.creates).toEqual(['a']);
    expect(result.condition('UnknownExcludedNode')).toBe('True/UnknownExcludedNode');
    expect(result.events).toContain('UnknownExcludedNode');
    expect(result.entry('b')).toBeUndefined();
  });

  it('are skipped with the reason while they cannot run the Pod', () => {
    const nodes = ['a', node('b', { skip: cordoned })];
    const result = decided(snapshot(daemonJob(), { nodes }));
    expect(result.creates).toEqual(['a']);
    expect(result.status).toMatchObject({ desired: 1, skipped: 1 });
    expect(result.entry('b')).toMatchObject({ state: 'Skipped', reason: 'Cordoned' });
  });

  it('are not reported when the template does not select them', () => {
    const skip = { reason: 'Unselected', message: 'the template does not select the node' };
    const result = decided(snapshot(daemonJob(), { nodes: ['a', node('b', { skip })] }));
    expect(result.status).toMatchObject({ desired: 1, skipped: 0 });
    expect(result.status.nodes).toBeUndefined();
  });
});

describe('no node that can run it', () => {
  const nodes = [node('a', { skip: cordoned })];

  it('is waited for, and said with the reasons', () => {
    const result = decided(snapshot(daemonJob(), { nodes }));
    expect(result.status).toMatchObject({ state: 'Pending', reason: 'NoEligibleNodes' });
    expect(result.status.message).toBe(
      'none of 1 nodes can run it: 1 Cordoned; it starts with the first one that can',
    );
    expect(result.events).toEqual(['NoEligibleNodes']);
    expect(result.again).toBeUndefined();
  });

  it('is the reason why a started one stands still when its machines are gone', () => {
    const owner = daemonJob({ status: started({ gone: 'Started' }) });
    const result = decided(snapshot(owner, { nodes }), 5);
    expect(result.status).toMatchObject({ state: 'Running', reason: 'NoEligibleNodes' });
    expect(result.status.message).toContain('1 Cordoned');
  });

  it('is a success where that was allowed', () => {
    const owner = daemonJob({ spec: { allowEmpty: true } });
    expect(decided(snapshot(owner, { nodes })).status.state).toBe('Succeed');
  });

  it('is a success when what is left has succeeded on machines that are gone', () => {
    const owner = daemonJob({ status: started({ gone: 'Succeeded' }) });
    expect(decided(snapshot(owner, { nodes: [] }), 5).status.state).toBe('Succeed');
  });
});

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

describe('a node that has run it', () => {
  it('does not run it again when its Job is gone', () => {
    const owner = daemonJob({ status: started({ a: 'Succeeded', b: 'Started' }) });
    const result = decided(snapshot(owner, { nodes: ['a', 'b'], jobs: running('b') }), 5);
    expect(result.creates).toEqual([]);
    expect(result.status.state).toBe('Running');
  });

  it('does not run it again after it was cordoned and uncordoned', () => {
    const owner = daemonJob({ status: started({ a: 'Succeeded', b: 'Started' }) });
    const nodes = [node('a', { skip: cordoned }), 'b'];
    const result = decided(snapshot(owner, { nodes, jobs: running('b') }), 5);
    expect(result.status.succeeded ?? 1).toBe(1);
    expect(result.entry('a')).toBeUndefined();
  });

  it('starts it where its create found the Job of another machine of its name, and took it for its own', () => {
    const owner = daemonJob({ status: started({ a: 'Started' }) });
    const jobs = [job('a', 'complete', { machine: 'the-one-before' })];
    const seen = snapshot(owner, { nodes: ['a'], jobs });
    const known = after(seen, decided(seen, 60));
    const next = decided(known, 60);
    expect(next.deletes).toEqual(['wipe-a']);
    expect(decided({ ...after(known, next), jobs: [] }, 61).creates).toEqual(['a']);
  });

  it('waits for the certainty that the machine of an ended Job is gone, and no longer', () => {
    const owner = daemonJob({ status: started({}, { lastUpdateTime: at(35) }) });
    const jobs = [job('a', 'complete', { machine: 'the-one-before', creationTimestamp: at(30) })];
    const seen = snapshot(owner, { nodes: [node('a', { creationTimestamp: at(29) })], jobs });
    expect(decided(seen, 36).deletes).toEqual([]);
    expect(decided(seen, 36).again).toBe(90);
    expect(decided(after(seen, decided(seen, 90)), 90).deletes).toEqual(['wipe-a']);
  });

  it('runs it again as another machine of the same name, when the old Job is gone', () => {
    const status = started({ a: 'Succeeded' }, { state: 'Succeed', completionTime: at(9) });
    const owner = daemonJob({ spec: { completionPolicy: 'Never' }, status });
    const anew = node('a', { uid: asUid('uid-of-another'), creationTimestamp: at(30) });
    const seen = snapshot(owner, { nodes: [anew], jobs: [job('a', 'complete')] });
    const first = decided(seen, 60);
    expect(first.creates).toEqual([]);
    expect(first.deletes).toEqual(['wipe-a']);
    expect(first.entry('a')).toMatchObject({ state: 'Blocked', reason: 'Replacing' });
    const second = decided({ ...after(seen, first), jobs: [] }, 61);
    expect(second.creates).toEqual(['a']);
    expect(second.created[0]?.metadata.labels?.[labels.nodeUid]).toBe('uid-of-another');
  });
});

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

describe('a failure whose cause is in no entry', () => {
  it('is reported without one', () => {
    const owner = daemonJob({ status: started({ a: 'Failed' }) });
    expect(decided(snapshot(owner, { nodes: ['a'] }), 5).status.message).toBe('failed: a');
  });
});

describe('a name that is taken', () => {
  it('by a Job of another node is a conflict and nothing is created', () => {
    const stranger = { ...job('b', 'running'), name: 'wipe-a' };
    const owner = daemonJob({ status: started({ b: 'Started' }) });
    const result = decided(snapshot(owner, { nodes: ['a', 'b'], jobs: [stranger] }), 5);
    expect(result.creates).toEqual([]);
    expect(result.entry('a')).toMatchObject({ state: 'Blocked', reason: 'NameConflict' });
  });
});

it('records what ran on a machine that is gone although a create was refused', () => {
  const anew = node('a', { uid: asUid('uid-of-another'), creationTimestamp: at(30) });
  const rejections = [{ name: 'wipe-b', code: 'NameConflict' as const, message: 'taken' }];
  const jobs = [job('a', 'complete')];
  const seen = snapshot(daemonJob({ status: started({}) }), {
    nodes: [anew, 'b'],
    jobs,
    rejections,
  });
  const first = decided(seen, 60);
  expect([first.creates, first.deletes]).toEqual([[], []]);
  expect(first.ledger('a')).toBe('Succeeded');
  expect(first.entry('b')).toMatchObject({ state: 'Blocked', reason: 'NameConflict' });
  const second = decided({ ...after(seen, first), rejections: [] }, 60);
  expect(second.deletes).toEqual(['wipe-a']);
  const refused = decided(after(seen, first), 60);
  expect(refused.again).toBeGreaterThan(60);
});

describe('what cannot be run', () => {
  it('is refused with the fault, and judged anew when it is another spec', () => {
    const spec = { completionPolicy: 'Never', ttlSecondsAfterFinished: 5 } as const;
    const seen = snapshot(daemonJob({ spec }), { nodes: ['a'] });
    const result = decided(seen);
    expect(result.status).toMatchObject({ state: 'Failed', reason: 'InvalidSpec' });
    expect(result.condition('Accepted')).toBe('False/InvalidSpec');
    expect(result.events).toEqual(['InvalidSpec', 'Failed']);
    const mended = daemonJob({ generation: 2, status: result.status });
    expect(decided(snapshot(mended, { nodes: ['a'] }), 5).creates).toEqual(['a']);
  });

  it('is refused as a whole when the first Job is invalid', () => {
    const rejections = [{ name: 'wipe-a', code: 'Invalid' as const, message: 'no image' }];
    const result = decided(snapshot(daemonJob(), { nodes: ['a', 'b'], rejections }));
    expect(result.status).toMatchObject({
      state: 'Failed',
      reason: 'InvalidJob',
      message: 'no image',
    });
    expect(result.creates).toEqual([]);
  });

  it('stands still when it was changed after the start', () => {
    const status = started(onRecord('a'), { specHash: 'another' });
    const result = decided(snapshot(daemonJob({ status }), { nodes: ['a', 'b'] }), 5);
    expect(result.creates).toEqual([]);
    expect(result.condition('Accepted')).toBe('False/SpecChanged');
  });

  it('keeps a retry that is asked for while it stands still until it is restored', () => {
    const status = started({ a: 'Failed' }, { state: 'Failed', specHash: 'another' });
    const seen = snapshot(daemonJob({ status, retry: '1' }), { nodes: ['a'] });
    const first = decided(seen, 5);
    expect(first.status.retryNonce).toBeUndefined();
    expect(first.creates).toEqual([]);
    const restored = { ...after(seen, first), specHash: 'another' };
    expect(decided(withRetry(restored, 6), 6).creates).toEqual(['a']);
  });

  it('is reported once with the fields that the cluster does not know', () => {
    const seen = snapshot(daemonJob({ status: started(onRecord('a')) }), {
      nodes: ['a'],
      jobs: running('a'),
    });
    const warning = { name: 'wipe-a', message: 'unknown field "spec.template.spec.imagee"' };
    const result = decided(withWarnings(seen, [warning]), 5);
    expect(result.condition('Accepted')).toBe('True/UnknownField');
    expect(result.events).toEqual(['UnknownField']);
    const again = decided(after(seen, result), 6);
    expect(again.condition('Accepted')).toBe('True/UnknownField');
    expect(again.events).toEqual([]);
  });
});

describe('one that is being deleted', () => {
  it('starts nothing', () => {
    const owner = daemonJob({ deletionTimestamp: at(0) });
    const result = decided(snapshot(owner, { nodes: ['a'] }));
    expect(result.creates).toEqual([]);
    expect(result.status.state).toBe('Terminating');
  });
});

it('names its Jobs by what it is called itself', () => {
  expect(job('a', 'running').name).toBe(`${ownerName}-a`);
});
