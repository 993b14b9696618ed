import { afterEach, describe, expect, it, vi } from 'vitest';
import { pino } from 'pino';
import { MillraceError } from '#shared/domain/errors.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { Verdict } from '#shared/domain/verdict.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { createMemoryQueue, type MemoryQueue } from '#shared/queue/memory-queue.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import type { Deliver, Delivery } from './deliver.ts';
import { deliverInProcess } from './deliver-in-process.ts';
import { startDispatcher, type DispatchProbe } from './testing/dispatch-probe.ts';
import { workItem } from './testing/work-item.ts';

const done: Verdict = { kind: 'done' };
const fl = 'flow-advance';
let probe: DispatchProbe | undefined;
afterEach(() => probe?.stop().catch(() => undefined));

function recording(answers: (item: WorkItem, run: number) => Delivery | Promise<Delivery>) {
  const runs: string[] = [];
  const deliver: Deliver = async (item) => {
    runs.push(item.key.name);
    return answers(item, runs.filter((name) => name === item.key.name).length);
  };
  return { runs, deliver };
}
const empty = { waiting: 0, running: 0, delayed: 0, parked: 0 };

function logging(level: 'info' | 'debug' = 'info') {
  const lines: unknown[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  return { lines, logger: pino({ level }, { write }) };
}

describe('a worker', () => {
  it('delivers each item and acknowledges what is done', async () => {
    const { runs, deliver } = recording(() => done);
    probe = startDispatcher(deliver);
    await probe.queue.add([workItem('a'), workItem('b'), workItem('c')]);
    await vi.waitFor(() => expect(runs.sort()).toEqual(['a', 'b', 'c']));
    await vi.waitFor(async () => expect(await probe?.queue.depth(fl)).toEqual(empty));
  });

  it('tries again what failed, with the delay growing, until it succeeds', async () => {
    const startedMs = performance.now();
    const { runs, deliver } = recording((_item, run) =>
      run < 3 ? { kind: 'retry', detail: 'no' } : done,
    );
    probe = startDispatcher(deliver, { random: () => 0 });
    await probe.queue.add([workItem('a')]);
    await vi.waitFor(() => expect(runs).toHaveLength(3), 3_000);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(590);
    await vi.waitFor(async () => expect(await probe?.queue.depth(fl)).toEqual(empty));
  });

  it('uses no attempt and sends little while the function is unreachable (loop-4)', async () => {
    const absent = { kind: 'unreachable', detail: 'ECONNREFUSED' } as const;
    let isAbsent = true;
    const { runs, deliver } = recording(() => (isAbsent ? absent : done));
    probe = startDispatcher(deliver, { random: () => 0.5, concurrency: { [fl]: 2 } });
    const names = Array.from({ length: 40 }, (_, index) => `flow-${index}`);
    await probe.queue.add(names.map((name) => workItem(name)));
    await vi.waitFor(() => expect(runs.length).toBeGreaterThan(4), 3_000);
    expect(runs.length).toBeLessThan(names.length);
    isAbsent = false;
    await vi.waitFor(async () => expect(await probe?.queue.depth(fl)).toEqual(empty), 6_000);
    expect(new Set(runs)).toEqual(new Set(names));
  });

  it('parks nothing, and says once what to do, while the function refuses the sender (loop-4)', async () => {
    const refused = { kind: 'refused', detail: '401: it was signed an hour ago' } as const;
    let isRefused = true;
    const { runs, deliver } = recording(() => (isRefused ? refused : done));
    const lines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    probe = startDispatcher(deliver, { random: () => 0.5, concurrency: { [fl]: 2 }, logger });
    await probe.queue.add(Array.from({ length: 10 }, (_, index) => workItem(`flow-${index}`)));
    await vi.waitFor(() => expect(runs.length).toBeGreaterThan(3), 3_000);
    expect(await probe.queue.depth(fl)).toMatchObject({ parked: 0 });
    isRefused = false;
    await vi.waitFor(() => expect(lines.join('')).toContain('function answers again'), 3_000);
    const refusals = lines.filter((line) => line.includes('function refuses the deliveries'));
    expect(refusals).toEqual([
      expect.stringMatching(/MILLRACE_DELIVERY_KEY.*|signed an hour ago.*/),
    ]);
  });

  it('counts a delivery that throws as failed', async () => {
    const { runs, deliver } = recording((_item, run) => {
      if (run === 1) throw new TypeError('fault of the program');
      return done;
    });
    const lines: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    probe = startDispatcher(deliver, { random: () => 0.99, logger });
    await probe.queue.add([workItem('a')]);
    await vi.waitFor(() => expect(runs).toHaveLength(2));
    expect(lines).toEqual([expect.stringContaining('fault of the program')]);
  });

  it('sets aside what is parked without delaying the others', async () => {
    const { runs, deliver } = recording(({ key }) =>
      key.name === 'bad' ? { kind: 'parked', detail: '422: wrong' } : done,
    );
    probe = startDispatcher(deliver, { concurrency: { [fl]: 1 } });
    await probe.queue.add([workItem('bad'), workItem('good')]);
    await vi.waitFor(() => expect(runs).toEqual(['bad', 'good']));
    await vi.waitFor(async () => {
      expect(await probe?.queue.parked(fl)).toMatchObject([
        { item: { key: { name: 'bad' } }, reason: '422: wrong' },
      ]);
    });
  });

  it('runs a requeued item at its time, and a fresh event before it', async () => {
    const { runs, deliver } = recording((_item, run) =>
      run === 1 ? { kind: 'requeue', afterMs: 60_000 } : done,
    );
    probe = startDispatcher(deliver);
    await probe.queue.add([workItem('a')]);
    await vi.waitFor(async () => {
      expect(await probe?.queue.depth(fl)).toEqual({ ...empty, delayed: 1 });
    });
    expect(runs).toHaveLength(1);
    await probe.queue.add([workItem('a')]);
    await vi.waitFor(() => expect(runs).toHaveLength(2));
  });

  it('forgets failures once a run asks for a requeue', async () => {
    const failures: Verdict = { kind: 'retry', detail: 'no' };
    const { runs, deliver } = recording((_item, run) =>
      run === 1 ? failures : { kind: 'requeue', afterMs: 60_000 },
    );
    probe = startDispatcher(deliver, { random: () => 0.99 });
    await probe.queue.add([workItem('a')]);
    await vi.waitFor(async () => {
      expect(await probe?.queue.depth(fl)).toEqual({ ...empty, delayed: 1 });
      expect(runs).toHaveLength(3);
    });
  });

  it('runs as many at once as it was given, and one per object', async () => {
    let running = 0;
    let most = 0;
    const release = Promise.withResolvers<Verdict>();
    probe = startDispatcher(async () => {
      running += 1;
      most = Math.max(most, running);
      return release.promise.finally(() => (running -= 1));
    });
    await probe.queue.add(Array.from('abcdefgh').map((name) => workItem(name)));
    await vi.waitFor(async () => {
      expect(await probe?.queue.depth(fl)).toMatchObject({ ...empty, waiting: 4, running: 4 });
    });
    release.resolve(done);
    await vi.waitFor(async () => expect(await probe?.queue.depth(fl)).toEqual(empty));
    expect(most).toBe(4);
  });

  it('goes on by itself when the queue answers again', async () => {
    const queue = createMemoryQueue({ clock: systemClock });
    let outages = 3;
    const { runs, deliver } = recording(() => done);
    probe = startDispatcher(deliver, {
      concurrency: { [fl]: 1 },
      queue: {
        ...queue,
        take: async (name, signal) => {
          if (outages > 0) {
            outages -= 1;
            throw new MillraceError('MR_QUEUE_UNAVAILABLE', { address: 'x', detail: 'down' });
          }
          return queue.take(name, signal);
        },
      },
    });
    await queue.add([workItem('a')]);
    await vi.waitFor(() => expect(runs).toEqual(['a']), 3_000);
  });

  it('settles an item even when the queue does not accept it once more (loop-1)', async () => {
    const queue = createMemoryQueue({ clock: systemClock });
    const { runs, deliver } = recording((_item, run) => {
      if (run === 1) return { kind: 'retry', detail: 'no' };
      return run === 2 ? { kind: 'requeue', afterMs: 0 } : done;
    });
    const add = vi
      .fn<typeof queue.add>()
      .mockRejectedValueOnce(
        new MillraceError('MR_QUEUE_UNAVAILABLE', { address: 'x', detail: 'down' }),
      );
    add.mockImplementation((items) => queue.add(items));
    probe = startDispatcher(deliver, { queue: { ...queue, add }, random: () => 0.99 });
    await queue.add([workItem('a')]);
    await vi.waitFor(async () => {
      expect(add).toHaveBeenCalled();
      expect(await queue.depth(fl)).toEqual(empty);
    }, 3_000);
    expect(runs.length).toBeGreaterThan(2);
  });

  it('cancels a delivery when its lease is lost, because another worker runs the item', async () => {
    const signals: AbortSignal[] = [];
    const { queue } = (probe = startDispatcher(async (_item, signal) => {
      signals.push(signal);
      if (signals.length === 1) await new Promise((resolve) => (signal.onabort = resolve));
      return done;
    }));
    await queue.add([workItem('a')]);
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    queue.loseLeases();
    await vi.waitFor(async () => expect(await queue.depth(fl)).toEqual(empty));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('does not settle an item whose lease it lost', async () => {
    const first = Promise.withResolvers<Verdict>();
    const { runs, deliver } = recording(({ key }, run) =>
      key.name === 'a' && run === 1 ? first.promise : done,
    );
    const queue = createMemoryQueue({ clock: systemClock });
    const parkedFor: string[] = [];
    const take: typeof queue.take = async (...args) => {
      const lease = await queue.take(...args);
      if (lease === undefined) return undefined;
      return { ...lease, park: async (reason) => void parkedFor.push(reason) };
    };
    probe = startDispatcher(deliver, { queue: { ...queue, take } });
    await queue.add([workItem('a')]);
    await vi.waitFor(() => expect(runs).toHaveLength(1));
    queue.loseLeases();
    await vi.waitFor(() => expect(runs).toHaveLength(2));
    first.resolve({ kind: 'parked', detail: 'too late' });
    await vi.waitFor(async () => expect(await queue.depth(fl)).toEqual(empty));
    await queue.add([workItem('b')]);
    await vi.waitFor(() => expect(runs).toEqual(['a', 'a', 'b']));
    expect(parkedFor).toEqual([]);
  });
});

describe('stopping', () => {
  it('calls off no delivery that ends within the bound', async () => {
    const calledOff: boolean[] = [];
    probe = startDispatcher(
      async (_item, signal) => {
        await systemClock.sleep(150);
        calledOff.push(signal.aborted);
        return done;
      },
      { drainMs: 5_000 },
    );
    await probe.queue.add([workItem('a')]);
    await vi.waitFor(async () =>
      expect(await probe?.queue.depth(fl)).toMatchObject({ running: 1 }),
    );
    await probe.stop();
    expect(calledOff).toEqual([false]);
  });

  it('finishes and settles what is under way, and takes nothing more', async () => {
    const release = Promise.withResolvers<Verdict>();
    const { runs, deliver } = recording(() => release.promise);
    probe = startDispatcher(deliver, { concurrency: { [fl]: 1 } });
    await probe.queue.add([workItem('a'), workItem('b')]);
    await vi.waitFor(() => expect(runs).toEqual(['a']));
    const stopped = probe.stop();
    release.resolve(done);
    await stopped;
    expect(runs).toEqual(['a']);
    expect(await probe.queue.depth(fl)).toMatchObject({ ...empty, waiting: 1 });
  });

  it('gives up what does not finish within the bound, calls it off and says so', async () => {
    const { lines, logger } = logging();
    let calledOff = false;
    probe = startDispatcher(
      (_item, signal) =>
        new Promise(() => signal.addEventListener('abort', () => (calledOff = true))),
      { drainMs: 50, logger },
    );
    await probe.queue.add([workItem('a')]);
    await vi.waitFor(async () => expect((await probe?.queue.depth(fl))?.running).toBe(1));
    // A delivery that was given up never finishes.
    await probe.stop();
    expect(calledOff).toBe(true);
    expect(lines).toMatchObject([
      { level: 40, drainMs: 50, msg: 'deliveries were still under way at the end' },
    ]);
  });

  it('ends at once when nothing is under way', async () => {
    const { lines, logger } = logging();
    probe = startDispatcher(async () => done, { drainMs: 3_600_000, logger });
    await probe.stop();
    expect(lines).toEqual([]);
  });
});

/** One item runs for ever, one is due, and the queue may stop answering; in virtual time. */
async function standstill(noProgressMs = 45_000) {
  const { lines, logger } = logging('debug');
  const clock = virtualClock();
  const outage = { isOn: false };
  const memory = createMemoryQueue({ clock });
  await memory.add([workItem('a'), workItem('b')]);
  const unavailable = new MillraceError('MR_QUEUE_UNAVAILABLE', { address: 'x', detail: 'outage' });
  const asked = { times: 0 };
  const queue: MemoryQueue = {
    ...memory,
    depth: (name) => {
      asked.times += 1;
      return outage.isOn ? Promise.reject(unavailable) : memory.depth(name);
    },
  };
  const underWay: AbortSignal[] = [];
  const deliver: Deliver = (_item, signal) => {
    underWay.push(signal);
    return new Promise(() => undefined);
  };
  probe = startDispatcher(deliver, {
    ...{ clock, queue, concurrency: { [fl]: 1, other: 1 }, noProgressMs, drainMs: 0, logger },
  });
  let hasEnded = false;
  probe.ended.catch(() => (hasEnded = true));
  const pass = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += 1_000) await clock.advance(1_000);
  };
  return { clock, outage, asked, lines, underWay, pass, ended: () => hasEnded };
}

describe('the watchdog', () => {
  it('ends the run with MR_NO_PROGRESS when due work stands still', async () => {
    probe = startDispatcher(() => new Promise(() => undefined), {
      concurrency: { [fl]: 1 },
      noProgressMs: 100,
    });
    await probe.queue.add([workItem('a'), workItem('b')]);
    await expect(probe.ended).rejects.toMatchObject({
      code: 'MR_NO_PROGRESS',
      fields: { queue: fl },
    });
  });

  it('looks often enough to notice it within a quarter more than its limit', async () => {
    const { clock, ended } = await standstill(1_000);
    for (let passedMs = 0; passedMs < 1_500; passedMs += 250) await clock.advance(250);
    expect(ended()).toBe(true);
  });

  it('reports for how many seconds nothing got done', async () => {
    const { pass } = await standstill();
    await pass(60_000);
    await expect(probe?.ended).rejects.toMatchObject({ fields: { queue: fl, seconds: 46 } });
  });

  it('calls off what is under way when it ends the run, and asks no queue any more', async () => {
    const { asked, underWay, pass } = await standstill();
    await pass(60_000);
    await expect(probe?.ended).rejects.toMatchObject({ code: 'MR_NO_PROGRESS' });
    expect(underWay.map(({ aborted }) => aborted)).toEqual([true]);
    const before = asked.times;
    await pass(20_000);
    expect(asked.times).toBe(before);
  });

  it('lets a run go on in which work is always due and gets done', async () => {
    const clock = virtualClock();
    const names = Array.from({ length: 20 }, (_, index) => `flow-${index}`);
    const { runs, deliver } = recording(() => done);
    const slowly: Deliver = async (item, signal) => {
      await clock.sleep(10_000, signal);
      return deliver(item, signal);
    };
    const queue = createMemoryQueue({ clock });
    await queue.add(names.map((name) => workItem(name)));
    probe = startDispatcher(slowly, {
      ...{ clock, queue, concurrency: { [fl]: 1 }, noProgressMs: 45_000, drainMs: 0 },
    });
    for (let passedMs = 0; passedMs < 150_000; passedMs += 1_000) await clock.advance(1_000);
    expect(runs.length).toBeGreaterThan(10);
    await expect(probe.stop()).resolves.toBeUndefined();
  });

  it('is not moved by a wall clock that is set while work is due', async () => {
    const { clock, ended, pass } = await standstill();
    for (const byMs of [3_600_000, -7_200_000]) {
      clock.step(byMs);
      await pass(10_000);
    }
    expect(ended()).toBe(false);
    await pass(30_000);
    expect(ended()).toBe(true);
  });

  it('begins anew after an outage of the queue, however long it took', async () => {
    const { ended, pass, outage, lines } = await standstill();
    await pass(20_000);
    outage.isOn = true;
    await pass(60_000);
    outage.isOn = false;
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 20, function: fl, msg: 'queue depth is unknown' }),
    );
    await pass(30_000);
    expect(ended()).toBe(false);
    await pass(30_000);
    expect(ended()).toBe(true);
  });

  it('asks a queue no more once the run is stopped', async () => {
    const { asked, pass } = await standstill();
    await pass(20_000);
    const stopped = probe?.stop();
    await pass(1_000);
    await stopped;
    const before = asked.times;
    expect(before).toBeGreaterThan(0);
    await pass(20_000);
    expect(asked.times).toBe(before);
  });

  it('leaves a queue alone in which nothing is due', async () => {
    const clock = virtualClock();
    const { runs, deliver } = recording(() => ({ kind: 'requeue', afterMs: 3_600_000 }));
    const queue = createMemoryQueue({ clock });
    await queue.add([workItem('a')]);
    probe = startDispatcher(deliver, { clock, queue, noProgressMs: 45_000, drainMs: 0 });
    for (let passedMs = 0; passedMs < 300_000; passedMs += 1_000) await clock.advance(1_000);
    expect(runs).toEqual(['a']);
    await expect(probe.stop()).resolves.toBeUndefined();
  });
});

it('counts deliveries by verdict and shows the depth of the queue', async () => {
  const { deliver } = recording(({ key }) =>
    key.name === 'bad' ? { kind: 'parked', detail: 'x' } : done,
  );
  probe = startDispatcher(deliver, { sampleEveryMs: 10 });
  await probe.queue.add([workItem('good'), workItem('bad')]);
  await vi.waitFor(async () => {
    const text = await probe?.registry.metrics();
    expect(text).toContain('millrace_deliveries_total{function="flow-advance",verdict="done"} 1');
    expect(text).toContain('millrace_parked_total{function="flow-advance"} 1');
    expect(text).toContain('millrace_queue_items{function="flow-advance",state="parked"} 1');
    expect(text).toContain('millrace_queue_oldest_wait_seconds{function="flow-advance"} 0');
  });
});

it('counts 0 parked items of a function before it parks one', async () => {
  const { deliver } = recording(() => done);
  probe = startDispatcher(deliver, { sampleEveryMs: 10 });
  await vi.waitFor(async () => {
    const text = await probe?.registry.metrics();
    expect(text).toContain('millrace_parked_total{function="flow-advance"} 0');
  });
});

it('parks an item of a function that is not in this process', async () => {
  const deliver = deliverInProcess(new Map([['flow-advance', async () => done]]));
  const never = new AbortController().signal;
  expect(await deliver(workItem('a'), never)).toEqual(done);
  expect(await deliver(workItem('a', { function: 'other' }), never)).toEqual({
    kind: 'parked',
    detail: 'no function other in this process',
  });
});
