import { describe, expect, it, vi } from 'vitest';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { asEventId } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { Delivery } from './deliver.ts';
import { HeadStarts } from './head-starts.ts';
import { workItem } from './testing/work-item.ts';

const done: Delivery = { kind: 'done' };
const lease = new AbortController().signal;
const event = (number: number): Pick<WorkItem, 'cause'> => ({ cause: asEventId(`e.${number}`) });

interface Run {
  readonly item: WorkItem;
  readonly signal: AbortSignal;
  readonly end: (delivery: Delivery) => void;
}

/** Uses a queue that can be unavailable, and a function whose runs the test ends. */
async function headStarts({ concurrency = 4, isTaken = true } = {}) {
  const clock = virtualClock();
  const runs: Run[] = [];
  const queue = { isAway: false, added: [] as WorkItem[] };
  const heads = new HeadStarts({
    add: async (items) => {
      if (queue.isAway) throw new Error('away');
      queue.added.push(...items);
    },
    deliver: (item, signal) =>
      new Promise((resolve) => void runs.push({ item, signal, end: resolve })),
    concurrency,
    clock,
    turn: () => Promise.resolve(),
  });
  // The first addition shows that the queue answers.
  if (isTaken) await heads.add([]);
  const names = (): readonly string[] => runs.map(({ item }) => item.key.name);
  return { heads, runs, queue, clock, names };
}

describe('an added item', () => {
  it('starts its run while it is being queued (head-start-1)', async () => {
    const { heads, names, queue } = await headStarts();
    const added = heads.add([workItem('a'), workItem('b')]);
    expect(names()).toEqual(['a', 'b']);
    await added;
    expect(queue.added.map(({ key }) => key.name)).toEqual(['a', 'b']);
  });

  it('starts no run while its function is busy (head-start-1)', async () => {
    const { heads, names } = await headStarts({ concurrency: 2 });
    void heads.deliver(workItem('a'), lease);
    await heads.add([workItem('b'), workItem('c'), workItem('d', { function: 'daemon-fanout' })]);
    expect(names()).toEqual(['a', 'b', 'd']);
  });

  it('starts its run when its function is no longer busy (head-start-1)', async () => {
    const { heads, names, runs } = await headStarts({ concurrency: 1 });
    const before = heads.deliver(workItem('a'), lease);
    runs[0]!.end(done);
    await before;
    await heads.add([workItem('b')]);
    expect(names()).toEqual(['a', 'b']);
  });

  it('starts no run while another run of its object is under way (head-start-1)', async () => {
    const { heads, names } = await headStarts();
    void heads.deliver(workItem('a'), lease);
    await heads.add([workItem('a', event(2))]);
    expect(names()).toEqual(['a']);
  });

  it('starts no run before the queue has accepted an item, or after it refused one (head-start-4)', async () => {
    const { heads, names, queue } = await headStarts({ isTaken: false });
    await heads.add([workItem('a')]);
    expect(names()).toEqual([]);
    queue.isAway = true;
    await expect(heads.add([workItem('b')])).rejects.toThrow('away');
    await expect(heads.add([workItem('c')])).rejects.toThrow('away');
    expect(names()).toEqual(['b']);
    queue.isAway = false;
    await heads.add([workItem('d')]);
    await heads.add([workItem('e')]);
    expect(names()).toEqual(['b', 'e']);
  });
});

describe('a dispatcher whose leases do not come', () => {
  const four = ['a', 'b', 'c', 'd'].map((name) => workItem(name));

  it('starts four runs at most, until one of the leases comes (head-start-5)', async () => {
    const { heads, names, runs } = await headStarts({ concurrency: 16 });
    await heads.add(four);
    for (const { end } of runs) end(done);
    await heads.add([workItem('e')]);
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    await heads.deliver(workItem('b'), lease);
    await heads.add([workItem('f'), workItem('g')]);
    expect(names()).toEqual(['a', 'b', 'c', 'd', 'f']);
  });

  it('starts runs again when the leases must have gone to another process (head-start-5)', async () => {
    const { heads, names, runs, clock } = await headStarts({ concurrency: 16 });
    await heads.add(four);
    for (const { end } of runs) end(done);
    await clock.advance(5_001);
    await heads.add([workItem('e')]);
    expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

describe('the lease of an item whose run has started', () => {
  it('is settled with the result of the run, and starts no other run (head-start-2)', async () => {
    const { heads, runs } = await headStarts();
    await heads.add([workItem('a')]);
    const settled = heads.deliver(workItem('a'), lease);
    const verdict = { kind: 'requeue', afterMs: 7 } as const;
    runs[0]!.end(verdict);
    expect(await settled).toEqual(verdict);
    expect(runs).toHaveLength(1);
  });

  it('is settled with the result of a run that ended a moment before (head-start-2)', async () => {
    const { heads, runs, clock } = await headStarts();
    await heads.add([workItem('a')]);
    runs[0]!.end(done);
    await clock.advance(0);
    await clock.advance(250);
    expect(await heads.deliver(workItem('a'), lease)).toEqual(done);
    expect(runs).toHaveLength(1);
  });

  it('starts another run when the last one ended long ago (head-start-3)', async () => {
    const { heads, runs, clock } = await headStarts();
    await heads.add([workItem('a')]);
    runs[0]!.end(done);
    await clock.advance(0);
    await clock.advance(251);
    void heads.deliver(workItem('a'), lease);
    expect(runs).toHaveLength(2);
  });

  it('starts another run when the item was added again meanwhile (head-start-3)', async () => {
    const { heads, runs } = await headStarts();
    await heads.add([workItem('a')]);
    await heads.add([workItem('a')]);
    void heads.deliver(workItem('a'), lease);
    expect(runs).toHaveLength(1);
    runs[0]!.end(done);
    await vi.waitFor(() => expect(runs).toHaveLength(2));
  });

  it('is settled with the rest of the wait that the run asked for (head-start-2)', async () => {
    const { heads, runs, clock } = await headStarts();
    await heads.add([workItem('a')]);
    runs[0]!.end({ kind: 'requeue', afterMs: 900 });
    await clock.advance(0);
    await clock.advance(200);
    expect(await heads.deliver(workItem('a'), lease)).toEqual({ kind: 'requeue', afterMs: 700 });
  });

  it('starts another run when the wait that the run asked for is over (head-start-3)', async () => {
    const { heads, runs, clock } = await headStarts();
    await heads.add([workItem('a')]);
    runs[0]!.end({ kind: 'requeue', afterMs: 100 });
    await clock.advance(0);
    await clock.advance(100);
    void heads.deliver(workItem('a'), lease);
    expect(runs).toHaveLength(2);
  });

  it('is settled with the result of a later run, whichever lease comes first (head-start-2)', async () => {
    const { heads, runs } = await headStarts();
    await heads.add([workItem('a', event(1))]);
    runs[0]!.end({ kind: 'requeue', afterMs: 60_000 });
    await vi.waitFor(async () => {
      await heads.add([workItem('a', event(2))]);
      expect(runs).toHaveLength(2);
    });
    runs[1]!.end({ kind: 'requeue', afterMs: 900 });
    const later = { kind: 'requeue', afterMs: 900 };
    expect(await heads.deliver(workItem('a', event(2)), lease)).toEqual(later);
    expect(await heads.deliver(workItem('a', event(1)), lease)).toEqual(later);
    expect(runs).toHaveLength(2);
  });

  it('is settled with the result of the run of another lease if that run started later (head-start-2)', async () => {
    const { heads, runs } = await headStarts();
    await heads.add([workItem('a', event(1))]);
    runs[0]!.end({ kind: 'requeue', afterMs: 60_000 });
    const other = heads.deliver(workItem('a', event(2)), lease);
    await vi.waitFor(() => expect(runs).toHaveLength(2));
    runs[1]!.end(done);
    await other;
    expect(await heads.deliver(workItem('a', event(1)), lease)).toEqual(done);
    expect(runs).toHaveLength(2);
  });

  it('is covered once: the next lease of the same event starts another run (head-start-2)', async () => {
    const { heads, runs } = await headStarts();
    await heads.add([workItem('a')]);
    runs[0]!.end(done);
    await heads.deliver(workItem('a'), lease);
    void heads.deliver(workItem('a'), lease);
    expect(runs).toHaveLength(2);
  });

  it('calls the run off when it is lost', async () => {
    const { heads, runs } = await headStarts();
    await heads.add([workItem('a'), workItem('b')]);
    const lost = new AbortController();
    void heads.deliver(workItem('a'), lost.signal);
    void heads.deliver(workItem('b'), AbortSignal.abort());
    expect(runs.map(({ signal }) => signal.aborted)).toEqual([false, true]);
    lost.abort();
    expect(runs.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });
});

describe('an item that is added during a run', () => {
  it('is not covered by that run, although its lease has the name of the first item of that run (head-start-3)', async () => {
    const { heads, runs } = await headStarts();
    await heads.add([workItem('a', event(1))]);
    // The queue keeps one item, with the last cause.
    await heads.add([workItem('a', event(2))]);
    const settled = heads.deliver(workItem('a', event(1)), lease);
    runs[0]!.end({ kind: 'requeue', afterMs: 60_000 });
    await vi.waitFor(() => expect(runs).toHaveLength(2));
    runs[1]!.end(done);
    expect(await settled).toEqual(done);
  });

  it('is covered by the next run, which a lease started (head-start-2)', async () => {
    const { heads, runs } = await headStarts();
    await heads.add([workItem('a', event(1))]);
    await heads.add([workItem('a', event(2))]);
    runs[0]!.end(done);
    const settled = heads.deliver(workItem('a', event(1)), lease);
    await vi.waitFor(() => expect(runs).toHaveLength(2));
    runs[1]!.end({ kind: 'requeue', afterMs: 7 });
    await settled;
    expect(await heads.deliver(workItem('a', event(2)), lease)).toMatchObject({ kind: 'requeue' });
    expect(runs).toHaveLength(2);
  });
});

it('a dispatcher remembers no more names than the queue may have, however often an object changes', async () => {
  const { heads, runs } = await headStarts({ concurrency: 1 });
  void heads.deliver(workItem('other'), lease);
  for (let number = 1; number <= 9; number += 1) await heads.add([workItem('a', event(number))]);
  runs[0]!.end(done);
  const first = heads.deliver(workItem('a', event(9)), lease);
  await vi.waitFor(() => expect(runs).toHaveLength(2));
  runs[1]!.end(done);
  await first;
  expect(await heads.deliver(workItem('a', event(2)), lease)).toEqual(done);
  void heads.deliver(workItem('a', event(1)), lease);
  expect(runs).toHaveLength(3);
});

describe('the lease of another event of the same object', () => {
  it('waits for the end of the run, and then gets a run of its own (head-start-2)', async () => {
    const { heads, runs } = await headStarts();
    await heads.add([workItem('a', event(1))]);
    const settled = heads.deliver(workItem('a', event(2)), lease);
    await Promise.resolve();
    expect(runs).toHaveLength(1);
    runs[0]!.end({ kind: 'retry', detail: 'no' });
    await vi.waitFor(() => expect(runs).toHaveLength(2));
    runs[1]!.end(done);
    expect(await settled).toEqual(done);
  });
});

describe('closing', () => {
  it('cancels all runs, starts no more, and waits for their ends', async () => {
    const { heads, runs } = await headStarts();
    await heads.add([workItem('a')]);
    let isOver = false;
    const ended = heads.end().then(() => (isOver = true));
    expect(runs[0]!.signal.aborted).toBe(true);
    await heads.add([workItem('b')]);
    expect(runs).toHaveLength(1);
    expect(isOver).toBe(false);
    runs[0]!.end(done);
    await ended;
  });

  it('does not wait for ever', async () => {
    const { heads, clock } = await headStarts();
    await heads.add([workItem('a')]);
    const ended = heads.end();
    await clock.advance(5_000);
    await ended;
  });
});
