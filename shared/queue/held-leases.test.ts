import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import { HeldLeases } from './held-leases.ts';
import type { HeldJob } from './job-store.ts';

const lockMs = 4_000;
const hourMs = 3_600_000;
const never = () => new Promise<readonly HeldJob[]>(() => undefined);
const atOnce = () => Promise.resolve([]);

function jobAskedFor(askedMs: number): HeldJob {
  const key = { apiVersion: 'v1', kind: 'Thing', namespace: 'n', name: 'one', uid: asUid('u1') };
  const item = { function: 'flow-advance', key, cause: asEventId('e1') };
  return { id: '1', token: 't', item, failures: 0, askedMs };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
});

it('gives a lease up when its lock may be gone, counted from when the job was asked for', async () => {
  const leases = new HeldLeases({ lockMs, extend: never });
  const signal = leases.hold(jobAskedFor(performance.now() - 1_500));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(signal.aborted).toBe(true);
});

it('only the holder is notified, and at once, when the store says that the lock is gone', async () => {
  const first = jobAskedFor(performance.now());
  const second = { ...first, id: '2' };
  const leases = new HeldLeases({ lockMs, extend: () => Promise.resolve([first]) });
  const signals = [leases.hold(first), leases.hold(second)];
  await vi.advanceTimersByTimeAsync(lockMs / 2);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect(signals[0]?.reason).toEqual(new Error('lease lost'));
  expect(leases.release(first)).toBe(false);
  expect(leases.release(second)).toBe(true);
});

it('counts a prolonged lock from the question, not from its late answer', async () => {
  const answers: (readonly HeldJob[])[] = [[]];
  const late = async () => {
    if (answers.pop() === undefined) return never();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    return [];
  };
  const leases = new HeldLeases({ lockMs, extend: late });
  const signal = leases.hold(jobAskedFor(performance.now()));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(signal.aborted).toBe(true);
});

it.each([
  ['ahead', hourMs],
  ['back', -hourMs],
])('keeps a lease when the wall clock is set an hour %s', async (_, byMs) => {
  const leases = new HeldLeases({ lockMs, extend: atOnce });
  const signal = leases.hold(jobAskedFor(performance.now()));
  vi.setSystemTime(Date.now() + byMs);
  await vi.advanceTimersByTimeAsync(2 * lockMs);
  expect(signal.aborted).toBe(false);
});

it('gives a lease up in time when the wall clock was set back meanwhile', async () => {
  const leases = new HeldLeases({ lockMs, extend: never });
  const signal = leases.hold(jobAskedFor(performance.now()));
  vi.setSystemTime(Date.now() - hourMs);
  await vi.advanceTimersByTimeAsync(lockMs + 1_000);
  expect(signal.aborted).toBe(true);
});

it('warns every holder when the queue closes, and takes what they still settle', async () => {
  const leases = new HeldLeases({ lockMs, extend: atOnce });
  const jobs = ['1', '2'].map((id) => ({ ...jobAskedFor(performance.now()), id }));
  const signals = jobs.map((job) => leases.hold(job));
  leases.warnAll();
  expect(signals.map(({ reason }) => reason as unknown)).toEqual([
    new Error('queue is closing'),
    new Error('queue is closing'),
  ]);
  let isDrained = false;
  const drained = leases.drained().then(() => (isDrained = true));
  expect(leases.release(jobs[0]!)).toBe(true);
  await vi.advanceTimersByTimeAsync(lockMs / 2);
  expect(isDrained).toBe(false);
  expect(leases.release(jobs[1]!)).toBe(true);
  await drained;
  expect(vi.getTimerCount()).toBe(0);
});

it('waits in the end no longer for leases that were lost', async () => {
  const job = jobAskedFor(performance.now());
  const leases = new HeldLeases({ lockMs, extend: () => Promise.resolve([job]) });
  leases.hold(job);
  const drained = leases.drained();
  await vi.advanceTimersByTimeAsync(lockMs / 2);
  await drained;
});

it('asks the store once at a time, and again after an answer or a fault', async () => {
  const answers: PromiseWithResolvers<readonly HeldJob[]>[] = [];
  const extend = () => {
    const answer = Promise.withResolvers<readonly HeldJob[]>();
    answers.push(answer);
    return answer.promise;
  };
  const leases = new HeldLeases({ lockMs, extend });
  leases.hold(jobAskedFor(performance.now()));
  await vi.advanceTimersByTimeAsync(0.75 * lockMs);
  expect(answers).toHaveLength(1);
  answers[0]?.resolve([]);
  await vi.advanceTimersByTimeAsync(lockMs / 4);
  expect(answers).toHaveLength(2);
  answers[1]?.reject(new Error('outage'));
  await vi.advanceTimersByTimeAsync(lockMs / 4);
  expect(answers).toHaveLength(3);
  leases.abandon();
});

it('has nothing to wait for at the end when no lease is held', async () => {
  const leases = new HeldLeases({ lockMs, extend: atOnce });
  await leases.drained();
  leases.hold(jobAskedFor(performance.now()));
  leases.abandon();
  await leases.drained();
  expect(vi.getTimerCount()).toBe(0);
});

it('asks the store for nothing when the last lease has just run out', async () => {
  const asked: number[] = [];
  const extend = async (jobs: readonly HeldJob[]) => {
    asked.push(jobs.length);
    return [];
  };
  const leases = new HeldLeases({ lockMs, extend });
  const signal = leases.hold(jobAskedFor(performance.now() - lockMs + 100));
  await vi.advanceTimersByTimeAsync(lockMs);
  expect(signal.aborted).toBe(true);
  expect(asked).not.toContain(0);
});
