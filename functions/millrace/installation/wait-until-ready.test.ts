import { describe, expect, it } from 'vitest';
import type { Check } from './cluster-checks.ts';
import { waitUntilReady } from './wait-until-ready.ts';

/** The second from which an object is ready. */
type ReadyAt = Readonly<Record<string, number>>;

async function waited(readyAt: ReadyAt, timeoutSeconds = 300) {
  const said: string[] = [];
  const reported: string[] = [];
  let nowMs = 0;
  const look = async (): Promise<readonly Check[]> =>
    Object.entries(readyAt).map(([about, second]) => {
      const isGood = nowMs >= second * 1_000;
      return { about, isGood, detail: isGood ? 'is there' : '0 of 1 Pods are of this version' };
    });
  const ended = waitUntilReady({
    ...{ look, timeoutSeconds },
    say: (line) => said.push(line),
    report: (line) => reported.push(line),
    nowMs: () => nowMs,
    sleep: async (ms) => (nowMs += ms),
  });
  const failure: unknown = await ended.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { said, reported, failure };
}

describe('the wait for an installation', () => {
  it('says nothing about what is ready at once', async () => {
    const { said, reported } = await waited({ 'services/redis': 0 });
    expect(said).toEqual(['ready after 0 s']);
    expect(reported).toEqual([]);
  });

  it('reports what becomes ready, and every five seconds what does not', async () => {
    const bridge = 'deployments.apps/bridge';
    const dispatcher = 'deployments.apps/dispatcher';
    const readyAt = { 'services/redis': 0, [bridge]: 3, [dispatcher]: 12 };
    const { said, reported } = await waited(readyAt);
    const why = `waiting for ${dispatcher}: 0 of 1 Pods are of this version`;
    expect(reported).toEqual([
      `ready: ${bridge} (3 s)`,
      `${why} (5 s)`,
      `${why} (10 s)`,
      `ready: ${dispatcher} (12 s)`,
    ]);
    expect(said).toEqual(['ready after 12 s']);
  });

  it('names the first of many, and their number', async () => {
    const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, 6]));
    const { reported } = await waited(many);
    expect(reported[0]).toBe('waiting for 7 objects: a, b, c, d, e and 2 more (5 s)');
  });

  it('ends with the exit code of a timeout', async () => {
    const { said, failure } = await waited({ a: 9 }, 2);
    expect(failure).toMatchObject({ exitCode: 6, message: '1 of 1 are not ready after 2 s' });
    expect(said).toEqual(['FAIL a: 0 of 1 Pods are of this version']);
  });
});
