import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { subscriptions } from '#functions/list.ts';
import { resources } from '#shared/domain/resources.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { Sweeper } from './sweep.ts';
import { flow } from '#shared/domain/testing/objects.ts';
import { publisherOver, stores } from './testing/stores.ts';

const running = flow({ name: 'running', status: { state: 'Running', observedGeneration: 1 } });
const ended = flow({ name: 'ended', status: { state: 'Succeed', observedGeneration: 1 } });

/** The Workload of the flow with this name. */
function workloadOf(owner: string): KubeObject {
  const { metadata } = flow({ name: owner });
  const { apiVersion, kind } = running;
  const controlled = { apiVersion, kind, name: owner, uid: metadata.uid, controller: true };
  const { resourceVersion, namespace } = metadata;
  return {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'Workload',
    metadata: {
      ...{ name: `jobflow-${owner}`, uid: asUid(`uid-of-workload-of-${owner}`), resourceVersion },
      ...(namespace === undefined ? {} : { namespace }),
      labels: { 'millrace.dev/owner-uid': metadata.uid },
      ownerReferences: [controlled],
    },
  };
}

function sweeping(times: { sweepMs: number; epochMs: number }) {
  const taken = stores();
  const whenEnqueued = new Map<string, () => void>();
  const queue = {
    ...taken.queue,
    add: async (items: Parameters<typeof taken.queue.add>[0]) => {
      await taken.queue.add(items);
      state.monotonicMs += 7;
      for (const { key } of items) {
        whenEnqueued.get(key.name)?.();
        whenEnqueued.delete(key.name);
      }
    },
  };
  const calls: string[] = [];
  const storedViews = {
    changed: async () => undefined,
    ensure: async (_: unknown, objects: readonly KubeObject[]) => {
      calls.push(`writes views of ${objects.map(({ metadata }) => metadata.name).join(', ')}`);
    },
    startOver: () => void calls.push('has no views any more'),
  };
  const { publisher, views, metrics } = publisherOver({ ...taken, queue }, undefined, storedViews);
  views.followed(resources.JobFlow).replace([ended, running], asResourceVersion('9'));
  let epoch = 'first';
  const state = { leading: true, losesLeaseAtEpoch: false, monotonicMs: 1_000_000 };
  const logged: object[] = [];
  const warned: object[] = [];
  const putOff: object[] = [];
  const logger = {
    info: (fields: object) => void logged.push(fields),
    warn: (fields: object, message: string) => void warned.push({ ...fields, message }),
    debug: (fields: object, message: string) => void putOff.push({ ...fields, message }),
  };
  const journal = {
    ...taken.journal,
    epoch: async () => {
      if (taken.outage.journal) throw new Error('outage');
      if (state.losesLeaseAtEpoch) state.leading = false;
      return epoch;
    },
  };
  const sweeper = new Sweeper({
    subscriptions,
    views,
    publisher,
    journal,
    clock: { ...systemClock, monotonicMs: () => state.monotonicMs },
    metrics,
    logger,
    times,
    leading: () => state.leading,
  });
  const stop = new AbortController();
  let finished = Promise.resolve();
  onTestFinished(async () => {
    stop.abort();
    await finished;
  });
  return {
    ...taken,
    sweeper,
    state,
    logged,
    warned,
    putOff,
    /** Calls of the stored views. */
    calls,
    setEpoch: (next: string) => (epoch = next),
    /** Runs `act` once this flow has been enqueued. */
    onceEnqueued: (name: string, act: () => void) => void whenEnqueued.set(name, act),
    /** Sets the existing Workloads. */
    leaves: (...workloads: readonly KubeObject[]) => {
      views.scopeOf(resources.Workload).need();
      views.followed(resources.Workload).replace(workloads, asResourceVersion('9'));
    },
    reports: (object: KubeObject) =>
      views.followed(resources.JobFlow).apply({ type: 'MODIFIED', object }),
    sweptFor: async () =>
      (await metrics.swept.get()).values
        .filter(({ value }) => value > 0)
        .map(({ labels, value }) => [labels.reason, value]),
    start: async () => {
      await sweeper.noteEpoch(stop.signal);
      finished = sweeper.run(stop.signal);
    },
    names: () => taken.added.map(({ key }) => key.name),
    items: () => taken.added.map(({ function: name, key }) => `${name} ${key.name}`),
  };
}

const never = 60_000;
const pause = (ms: number) => systemClock.sleep(ms);

describe('the periodic sweep', () => {
  it('enqueues what is unfinished again and again, and leaves the finished alone', async () => {
    const { start, names, sweptFor } = sweeping({ sweepMs: 10, epochMs: never });
    await start();
    await vi.waitFor(() => expect(names().length).toBeGreaterThan(2));
    expect(new Set(names())).toEqual(new Set(['running']));
    expect(await sweptFor()).toEqual([['unfinished', expect.any(Number)]]);
  });

  it('wakes the function for an object that outlives its owner, until the object is gone (sweep-5)', async () => {
    const { start, names, leaves } = sweeping({ sweepMs: 10, epochMs: never });
    const countOf = (wanted: string) => names().filter((name) => name === wanted).length;
    const anotherSweep = async () => {
      const before = countOf('running');
      await vi.waitFor(() => expect(countOf('running')).toBeGreaterThan(before));
    };
    leaves(workloadOf('running'), workloadOf('gone'));
    await start();
    await vi.waitFor(() => expect(countOf('gone')).toBeGreaterThan(1));
    leaves(workloadOf('running'));
    await anotherSweep();
    const known = countOf('gone');
    await anotherSweep();
    await anotherSweep();
    expect(countOf('gone')).toBe(known);
  });

  it('wakes the function for an object whose owner it ignores, such as a flow that left its queue', async () => {
    const { start, items, leaves } = sweeping({ sweepMs: 10, epochMs: never });
    leaves(workloadOf('running'));
    await start();
    await vi.waitFor(() => expect(items()).toContain('kueue-workload-sync running'));
  });

  it('waits during an outage of the queue, logs the reason, and continues afterwards', async () => {
    const { start, names, outage, putOff } = sweeping({ sweepMs: 10, epochMs: never });
    outage.queue = true;
    await start();
    await vi.waitFor(() => expect(putOff.length).toBeGreaterThan(1));
    const err = expect.objectContaining({ code: 'MR_QUEUE_UNAVAILABLE' }) as unknown;
    expect(putOff[0]).toEqual({ err, message: 'sweep put off' });
    outage.queue = false;
    await vi.waitFor(() => expect(names()).toContain('running'));
  });

  it('is left to the bridge that leads; another one asks the stores for nothing', async () => {
    const { start, names, state, outage, putOff } = sweeping({ sweepMs: 5, epochMs: 5 });
    state.leading = false;
    await start();
    outage.journal = true;
    await pause(50);
    expect([...names(), ...putOff]).toEqual([]);
  });
});

describe('another epoch', () => {
  it('enqueues everything once, the unfinished first, and says how many', async () => {
    const { start, names, setEpoch, recorded, logged, sweptFor } = sweeping({
      sweepMs: never,
      epochMs: 10,
    });
    await start();
    await pause(40);
    expect(names()).toEqual([]);
    setEpoch('second');
    await vi.waitFor(() => expect(names()).toEqual(['running', 'ended']));
    await pause(40);
    expect(names()).toEqual(['running', 'ended']);
    expect(await recorded()).toEqual(['uid-of-running.5', 'uid-of-ended.5']);
    const counts = { unfinished: 1, finished: 1, durationMs: 14 };
    expect(logged).toEqual([{ reason: 'store-lost-data', ...counts }]);
    expect(await sweptFor()).toEqual([['store-lost-data', 2]]);
  });

  it('ends the views that are kept for others, and writes them before it wakes anybody', async () => {
    const { start, names, setEpoch, calls } = sweeping({ sweepMs: never, epochMs: 10 });
    await start();
    setEpoch('second');
    await vi.waitFor(() => expect(names()).toEqual(['running', 'ended']));
    expect(calls).toEqual([
      'has no views any more',
      'writes views of running',
      'writes views of ended',
    ]);
  });

  it('enqueues also a flow that begins anew while the unfinished are enqueued', async () => {
    const { start, names, setEpoch, onceEnqueued, reports } = sweeping({
      sweepMs: never,
      epochMs: 10,
    });
    await start();
    const status = { state: 'Running', observedGeneration: 1 };
    onceEnqueued('running', () => reports(flow({ name: 'ended', version: '10', status })));
    setEpoch('second');
    await vi.waitFor(() => expect(names()).toEqual(['running', 'ended']));
  });

  it('counts as seen only after everything was enqueued', async () => {
    const { start, names, setEpoch, outage } = sweeping({ sweepMs: never, epochMs: 10 });
    await start();
    outage.queue = true;
    setEpoch('second');
    await pause(50);
    outage.queue = false;
    await vi.waitFor(() => expect(names()).toEqual(['running', 'ended']));
  });

  it('is measured against the one that was there before the first publication', async () => {
    const { start, names, setEpoch, outage, warned } = sweeping({ sweepMs: never, epochMs: 10 });
    outage.journal = true;
    const started = start();
    await pause(30);
    outage.journal = false;
    await started;
    const err = new Error('outage');
    expect(warned[0]).toEqual({ err, message: 'waiting for the journal' });
    setEpoch('second');
    await vi.waitFor(() => expect(names()).toEqual(['running', 'ended']));
  });
});

it('publishes nothing when the lease was lost while the store answered (sweep-4)', async () => {
  const { start, names, state, sweeper } = sweeping({ sweepMs: never, epochMs: 10 });
  await start();
  state.losesLeaseAtEpoch = true;
  sweeper.tookOver();
  await vi.waitFor(() => expect(state.leading).toBe(false));
  await pause(30);
  expect(names()).toEqual([]);
  state.losesLeaseAtEpoch = false;
  state.leading = true;
  await vi.waitFor(() => expect(names()).toEqual(['running', 'ended']));
});

it('begins with everything once more when the lease was lost on the way (sweep-4)', async () => {
  const { start, names, state, setEpoch, onceEnqueued } = sweeping({ sweepMs: never, epochMs: 10 });
  await start();
  onceEnqueued('running', () => (state.leading = false));
  setEpoch('second');
  await vi.waitFor(() => expect(names()).toEqual(['running']));
  await pause(30);
  expect(names()).toEqual(['running']);
  state.leading = true;
  await vi.waitFor(() => expect(names()).toEqual(['running', 'running', 'ended']));
});

it('enqueues everything after it took over from another bridge, also when the queue is out', async () => {
  const { start, names, sweeper, outage, putOff } = sweeping({ sweepMs: never, epochMs: 10 });
  await start();
  outage.queue = true;
  sweeper.tookOver();
  await vi.waitFor(() => expect(putOff).not.toEqual([]));
  outage.queue = false;
  await vi.waitFor(() => expect(names()).toEqual(['running', 'ended']));
});
