import { describe, expect, it } from 'vitest';
import { subscriptions } from '#functions/list.ts';
import { labels } from '#shared/domain/labels.ts';
import { asUid, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { daemonJob, flow, job, node, ownedBy, pod } from '#shared/domain/testing/objects.ts';
import { listRoot, noteKey } from '#shared/views/view-store.ts';
import { bridge, changed, owner } from './testing/writing-bridge.ts';
import { watchSetOf } from './watch-set.ts';

const { DaemonJob, JobFlow, Job, Node, Pod } = resources;
const root = owner.metadata.uid;
const childJob = (uid: string, version: string, label: string = root): KubeObject =>
  job({
    name: uid,
    uid,
    version,
    metadata: { ...ownedBy(owner), labels: { [labels.ownerUid]: label } },
  });
const childPod = (of: KubeObject, version: string): KubeObject =>
  pod({
    name: `${of.metadata.name}-x`,
    uid: `${of.metadata.uid}-pod`,
    version,
    metadata: { ...ownedBy(of), labels: { [labels.ownerUid]: root } },
  });

describe('what the bridge keeps for functions of other processes', () => {
  it('is all children of a root and its version, as soon as one of them changes', async () => {
    const { see, report, held } = bridge();
    const [a, b] = [childJob('a', '4'), childJob('b', '5')];
    see(JobFlow, owner);
    see(Job, a, b);
    see(Pod, childPod(a, '6'));
    await report('Job', changed(b));
    expect(await held()).toEqual([
      'jobflows.api.practice.com/f-uid 3',
      'jobs.batch/a 4',
      'jobs.batch/b 5',
      'pods/a-pod 6',
    ]);
  });

  it('has the version of a root whose last child is gone', async () => {
    const { see, report, held } = bridge();
    see(JobFlow, owner);
    await report('Job', { type: 'deleted', object: childJob('a', '9') });
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3']);
  });

  it('is written change by change from then on', async () => {
    const { see, report, held, writes } = bridge();
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    writes.length = 0;
    await report('Job', changed(childJob('a', '4')));
    await report('JobFlow', changed(flow({ name: 'f', uid: 'f-uid', version: '8' })));
    await report('Job', { type: 'gone', object: childJob('a', '4') });
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 8']);
    expect(writes.map(({ isWhole, entries }) => [isWhole, entries.length])).toEqual([
      [false, 1],
      [false, 1],
      [false, 2],
    ]);
  });

  it('begins with the latest of several versions of a root that come at once', async () => {
    const { see, report, held } = bridge();
    const later = flow({ name: 'f', uid: 'f-uid', version: '8' });
    see(JobFlow, later);
    await report('JobFlow', changed(owner), changed(later));
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 8']);
  });

  it('knows of no root that comes and goes at once', async () => {
    const { report, held } = bridge();
    const last = flow({ name: 'f', uid: 'f-uid', version: '8' });
    await report('JobFlow', changed(owner), { type: 'deleted', object: last });
    expect(await held()).toEqual([]);
  });

  it('distinguishes a root without children from one that it has not written', async () => {
    const { see, report, held } = bridge();
    expect(await held()).toBeUndefined();
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3']);
  });

  it('loses a child whose label is changed, or taken away', async () => {
    const { see, report, held } = bridge();
    see(JobFlow, owner);
    see(Job, childJob('a', '4'), childJob('b', '4'));
    await report('Job', changed(childJob('a', '4')), changed(childJob('b', '4')));
    await report('Job', changed(childJob('a', '6', 'another-root')));
    const unlabelled = job({ uid: 'b', version: '7', metadata: { labels: {} } });
    await report('Job', { type: 'deleted', object: unlabelled });
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3']);
  });

  it('has a Pod also when its Job is not known yet, and nothing with the label of another', async () => {
    const { see, report, held } = bridge();
    const early = childPod(childJob('a', '4'), '6');
    see(JobFlow, owner);
    see(Job, childJob('y', '4', 'another-root'));
    see(Pod, early);
    await report('Pod', changed(early));
    await report('JobFlow', changed(owner));
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3', 'pods/a-pod 6']);
  });

  it('is written down before a sweep where it is missing, and costs nothing where it is not', async () => {
    const { see, stored, held, writes } = bridge();
    see(JobFlow, owner);
    see(Job, childJob('a', '4'));
    await stored.ensure(JobFlow, [owner]);
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3', 'jobs.batch/a 4']);
    writes.length = 0;
    await stored.ensure(JobFlow, [owner]);
    expect(writes).toMatchObject([{ isWhole: false, entries: [{ content: '' }] }]);
  });

  it('is what the views have, not the older version that a sweep began with', async () => {
    const { see, stored, held } = bridge();
    const newer = flow({ name: 'f', uid: root, version: '9' });
    see(JobFlow, newer);
    await stored.ensure(JobFlow, [owner]);
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 9']);
  });

  it('does not contain what is gone since a sweep began', async () => {
    const { see, stored, held } = bridge();
    see(JobFlow, flow({ name: 'f', uid: 'another', version: '9' }));
    await stored.ensure(JobFlow, [owner, flow({ name: 'gone', uid: 'gone', version: '3' })]);
    expect(await held()).toBeUndefined();
    expect(await held(asUid('gone'))).toBeUndefined();
  });
});

describe('a resource that has not been listed yet (stored-views-5)', () => {
  it('keeps a root from being whole, whichever of its children it is', async () => {
    for (const unlisted of [Job, Pod]) {
      const { see, list, report, held } = bridge({ unlisted });
      see(JobFlow, owner);
      await report('JobFlow', changed(owner));
      expect(await held()).toBeUndefined();
      list(unlisted);
      await report('JobFlow', changed(owner));
      expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3']);
    }
  });

  it('is written as a whole with the first list', async () => {
    const { see, list, report, held } = bridge({ unlisted: Job });
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    const child = childJob('a', '4');
    list(Job, child);
    await report('Job', changed(child));
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3', 'jobs.batch/a 4']);
  });

  it('keeps a list from being whole, and no other root', async () => {
    const { see, list, stored, held } = bridge({ unlisted: Node });
    const wanted = daemonJob({ name: 'd', uid: 'd-uid', version: '2' });
    see(DaemonJob, wanted);
    await stored.ensure(DaemonJob, [wanted]);
    expect(await held(listRoot(Node))).toBeUndefined();
    expect(await held(wanted.metadata.uid)).toEqual(['daemonjobs.api.practice.com/d-uid 2']);
    list(Node, node({ name: 'a', uid: 'a', version: '4' }));
    await stored.ensure(DaemonJob, [wanted]);
    expect(await held(listRoot(Node))).toEqual(['nodes/a 4']);
  });
});

describe('a child that is gone (stored-views-4)', () => {
  it('leaves a note of its name with its end, and so does one that lost its label', async () => {
    const { see, report, noted } = bridge();
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    await report('Job', changed(childJob('a', '4')), changed(childJob('b', '4')));
    expect(await noted()).toEqual([]);
    await report('Job', { type: 'deleted', object: childJob('a', '5') });
    await report('Job', changed(childJob('b', '6', 'another-root')));
    expect(await noted()).toEqual([noteKey('jobs.batch', 'a'), noteKey('jobs.batch', 'b')]);
  });

  it('leaves one that says for which machine it was, also where a new session begins after its end', async () => {
    const { store, views, see, report, noted, stored } = bridge();
    const ofMachine = (version: string): KubeObject => {
      const { metadata, ...rest } = childJob('a', version);
      const labelled = { ...metadata, labels: { ...metadata.labels, [labels.nodeUid]: 'm1' } };
      return { ...rest, metadata: labelled };
    };
    see(JobFlow, owner);
    see(Job, ofMachine('4'));
    await report('JobFlow', changed(owner));
    await report('Job', { type: 'deleted', object: ofMachine('5') });
    expect(await noted()).toEqual([noteKey('jobs.batch', 'a/m1')]);
    views.followed(Job).apply({ type: 'DELETED', object: ofMachine('5') });
    store.clear();
    stored.startOver();
    await report('JobFlow', changed(owner));
    expect(await noted()).toEqual([noteKey('jobs.batch', 'a/m1')]);
  });

  it('leaves none where something else controls it: that is not asked for by its name', async () => {
    const { see, report, noted } = bridge();
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    await report('Pod', { type: 'deleted', object: childPod(childJob('a', '4'), '6') });
    expect(await noted()).toEqual([]);
  });

  it('is noted by its name where a new session begins after its end', async () => {
    const { store, views, see, report, noted, stored } = bridge();
    see(JobFlow, owner);
    see(Job, childJob('a', '4'));
    views.followed(Job).apply({ type: 'DELETED', object: childJob('a', '5') });
    store.clear();
    stored.startOver();
    await report('JobFlow', changed(owner));
    expect(await noted()).toEqual([noteKey('jobs.batch', 'a')]);
  });

  it('is remembered when another bridge takes the store over', async () => {
    const first = bridge();
    first.see(JobFlow, owner);
    await first.report('JobFlow', changed(owner));
    await first.report('Job', { type: 'deleted', object: childJob('a', '5') });
    const second = bridge({ store: first.store });
    second.see(JobFlow, owner);
    second.stored.startOver();
    await second.report('JobFlow', changed(owner));
    expect(await second.noted()).toEqual([noteKey('jobs.batch', 'a')]);
  });

  it('is remembered over a new session, but not in another history', async () => {
    const { see, report, noted, stored } = bridge();
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    await report('Job', { type: 'deleted', object: childJob('a', '5') });
    stored.startOver();
    await report('JobFlow', changed(owner));
    expect(await noted()).toEqual([noteKey('jobs.batch', 'a')]);
    stored.startOver(true);
    await report('JobFlow', changed(owner));
    expect(await noted()).toEqual([]);
    await report('Job', { type: 'deleted', object: childJob('b', '7') });
    stored.startOver();
    await report('JobFlow', changed(owner));
    expect(await noted()).toEqual([noteKey('jobs.batch', 'b')]);
  });
});

describe('the list of a resource that a function lists', () => {
  const listed = (name: string, version: string, spec = {}): KubeObject =>
    watchSetOf(subscriptions)
      .find(({ resource }) => resource === Node)!
      .project(node({ name, uid: name, version, spec }));
  const all = listRoot(Node);

  it('is all of them, as soon as one changes', async () => {
    const { see, report, held, writes } = bridge();
    see(Node, listed('a', '4'), listed('b', '5'));
    await report('Node', changed(listed('b', '5')));
    expect(await held(all)).toEqual(['nodes/a 4', 'nodes/b 5']);
    writes.length = 0;
    await report('Node', changed(listed('a', '6')));
    expect(writes).toEqual([]);
    await report('Node', changed(listed('a', '7', { unschedulable: true })));
    await report('Node', { type: 'deleted', object: listed('b', '8') });
    expect(await held(all)).toEqual(['nodes/a 7']);
    expect(writes.map(({ isWhole, entries }) => [isWhole, entries.length])).toEqual([
      [false, 1],
      [false, 1],
    ]);
  });

  it('is there before anybody is woken who lists it, and only then', async () => {
    const { see, stored, held, writes } = bridge();
    see(Node, listed('a', '4'));
    see(JobFlow, owner);
    await stored.ensure(JobFlow, [owner]);
    expect(await held(all)).toBeUndefined();
    const daemon = daemonJob({ uid: 'd-uid', version: '7' });
    see(DaemonJob, daemon);
    await stored.ensure(DaemonJob, [daemon]);
    expect(await held(all)).toEqual(['nodes/a 4']);
    writes.length = 0;
    await stored.ensure(DaemonJob, [daemon]);
    expect(writes.map(({ isWhole, entries }) => [isWhole, entries.length])).toEqual([
      [false, 0],
      [false, 1],
    ]);
  });

  it('is written anew in a new session', async () => {
    const { see, report, held, stored } = bridge();
    see(Node, listed('a', '4'));
    await report('Node', changed(listed('a', '4')));
    stored.startOver();
    await report('Node', changed(listed('a', '4')));
    expect(await held(all)).toEqual(['nodes/a 4']);
  });
});

describe('the writing bridge (stored-views-2)', () => {
  it('is only the bridge that leads', async () => {
    const { state, see, report, stored, writes } = bridge();
    state.leads = false;
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    await stored.ensure(JobFlow, [owner]);
    expect(writes).toEqual([]);
  });

  it('waits for the session of another bridge to end, and takes over when it begins to lead', async () => {
    const { store, see, report, held, stored, writes } = bridge();
    await store.hold('of another bridge', false);
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    expect(writes).toEqual([]);
    stored.startOver();
    await report('JobFlow', changed(owner));
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3']);
  });

  it('begins anew when another bridge has taken over in between, once that has ended', async () => {
    const { store, clock, see, report, held, stored } = bridge();
    const stop = new AbortController();
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    await store.hold('of another bridge', true);
    await report('JobFlow', changed(owner));
    expect(await held()).toBeUndefined();
    const running = stored.run(stop.signal);
    for (let second = 0; second < 12; second += 1) await clock.advance(1_000);
    await report('JobFlow', changed(owner));
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3']);
    stop.abort();
    await running;
    expect(await held()).toBeUndefined();
  });

  it('begins one session for changes that come at once', async () => {
    const { see, report, held, stored } = bridge();
    see(JobFlow, owner);
    see(Job, childJob('a', '4'));
    stored.startOver();
    await Promise.all([
      report('JobFlow', changed(owner)),
      report('Job', changed(childJob('a', '4'))),
    ]);
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3', 'jobs.batch/a 4']);
  });

  it('has no version of before when a session begins in the middle of a sweep', async () => {
    const { state, see, report, held, stored } = bridge();
    const all = Array.from({ length: 201 }, (_, at) =>
      flow({ name: `f${at}`, uid: `f${at}`, version: '3' }),
    );
    see(JobFlow, ...all);
    state.afterWrite = async () => {
      const newer = flow({ name: 'f200', uid: 'f200', version: '9' });
      see(JobFlow, newer);
      await report('JobFlow', changed(newer));
      stored.startOver();
      await report('JobFlow', changed(all[0]!));
    };
    await stored.ensure(JobFlow, all);
    expect(await held(asUid('f200'))).toBeUndefined();
    await stored.ensure(JobFlow, all);
    expect(await held(asUid('f200'))).toEqual(['jobflows.api.practice.com/f200 9']);
  });

  it('has nothing of before when it starts over', async () => {
    const { see, report, held, stored } = bridge();
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    stored.startOver();
    await report('JobTemplate');
    expect(await held()).toBeUndefined();
  });

  it('keeps its session alive while it leads', async () => {
    const { clock, see, report, held, stored } = bridge();
    const stop = new AbortController();
    const running = stored.run(stop.signal);
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    await clock.advance(60_000);
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3']);
    stop.abort();
    await running;
  });
});

describe('a store that accepts no views (stored-views-3)', () => {
  it('holds nothing up: what it had is no view any more', async () => {
    const { clock, state, see, report, held, stored, warned } = bridge();
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    state.fails = 'write';
    await report('Job', changed(childJob('a', '4')));
    expect(await held()).toBeUndefined();
    expect(warned).toEqual(['the store takes no views: functions ask the API server']);
    state.fails = undefined;
    const stop = new AbortController();
    const running = stored.run(stop.signal);
    await clock.advance(1_000);
    see(Job, childJob('b', '5'));
    await report('Job', changed(childJob('b', '5')));
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3', 'jobs.batch/b 5']);
    stop.abort();
    await running;
  });

  it('is taken from no other bridge that has begun a session since', async () => {
    const { clock, state, store, see, report, stored, writes } = bridge();
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    state.fails = 'write';
    await report('Job', changed(childJob('a', '4')));
    state.fails = undefined;
    expect(await store.hold('of another bridge', false)).toBe(true);
    const before = writes.length;
    const stop = new AbortController();
    const running = stored.run(stop.signal);
    await clock.advance(1_000);
    await report('JobFlow', changed(owner));
    expect(writes).toHaveLength(before);
    stop.abort();
    await running;
  });

  it('is written anew when it is unknown whether a change was written', async () => {
    const { state, see, report, held } = bridge();
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    state.fails = 'everything';
    await expect(report('Job', changed(childJob('a', '7')))).rejects.toThrow('OOM');
    state.fails = undefined;
    see(Job, childJob('a', '7'));
    await report('Job', changed(childJob('a', '7')));
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3', 'jobs.batch/a 7']);
  });

  it('holds the change back while it is away altogether, as the queue does', async () => {
    const { state, see, report, held } = bridge();
    see(JobFlow, owner);
    state.fails = 'everything';
    await expect(report('JobFlow', changed(owner))).rejects.toThrow('OOM');
    state.fails = undefined;
    await report('JobFlow', changed(owner));
    expect(await held()).toEqual(['jobflows.api.practice.com/f-uid 3']);
  });
});

describe('an entry', () => {
  it('is compared by version, since a delivery that failed half-way comes again', async () => {
    const { see, report, held } = bridge();
    const running = { ...childJob('a', '9'), status: { active: 1 } };
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    await report('Job', changed(childJob('a', '7')), changed(running));
    await report('Job', changed(childJob('a', '7')));
    expect(await held()).toContain('jobs.batch/a 9');
  });

  it('is not written again when nothing that is kept of the object has changed', async () => {
    const { see, report, held, writes } = bridge();
    see(JobFlow, owner);
    await report('JobFlow', changed(owner));
    await report('Job', changed(childJob('a', '7')));
    writes.length = 0;
    await report('Job', changed(childJob('a', '8')));
    expect(writes).toEqual([]);
    expect(await held()).toContain('jobs.batch/a 7');
  });
});
