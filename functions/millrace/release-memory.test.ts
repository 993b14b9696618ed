import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type MemoryRelease, releaseMemoryWhenQuiet } from './release-memory.ts';

const quietMs = 1_000;

function work(memory: MemoryRelease, pieces: number): void {
  for (let piece = 0; piece < pieces; piece += 1) memory.worked();
}

describe('memory', () => {
  const collect = vi.fn<() => void>();
  const memory = () => releaseMemoryWhenQuiet(quietMs, collect);
  beforeEach(() => {
    collect.mockClear();
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  it('is released once it is quiet after a burst', () => {
    const released = memory();
    work(released, 500);
    vi.advanceTimersByTime(quietMs - 1);
    released.worked();
    vi.advanceTimersByTime(quietMs - 1);
    expect(collect).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(collect).toHaveBeenCalledOnce();
  });

  it('is released again after another burst, and not before', () => {
    const released = memory();
    work(released, 500);
    vi.advanceTimersByTime(quietMs);
    work(released, 499);
    vi.advanceTimersByTime(quietMs);
    expect(collect).toHaveBeenCalledOnce();
    work(released, 1);
    vi.advanceTimersByTime(quietMs);
    expect(collect).toHaveBeenCalledTimes(2);
  });

  it('is left alone after the end', () => {
    const ended = memory();
    work(ended, 500);
    ended.end();
    vi.advanceTimersByTime(quietMs);
    expect(collect).not.toHaveBeenCalled();
  });
});

it('memory without a reference is collected', async () => {
  const collected = vi.fn();
  const registry = new FinalizationRegistry<undefined>(collected);
  registry.register({}, undefined);
  const memory = releaseMemoryWhenQuiet(1);
  work(memory, 500);
  await vi.waitFor(() => expect(collected).toHaveBeenCalled());
  memory.end();
  expect(registry).toBeDefined();
});
