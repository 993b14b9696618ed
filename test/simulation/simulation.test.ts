import { describe, expect, it } from 'vitest';
import { testExtent } from '#test/support/test-extent.ts';
import { runParallel } from './parallel.ts';
import { randomScenario } from './random-scenario.ts';
import { silentKinds } from './report.ts';
import { runScenario } from './run-scenario.ts';
import { usePlainAbortSignals } from './world/abort-signals.ts';
import { simulateTurns } from './world/event-loop-turns.ts';

/** Enough for every fault to strike. Earlier finds are among the kept scenarios. */
const seeds = testExtent() === 'full' ? 2_000 : 250;

describe('the simulation', () => {
  it('gives the same run for the same seed, step by step', async () => {
    for (const seed of [3, 11, 27, 42, 58]) {
      const first = await traceOf(seed);
      expect(await traceOf(seed)).toEqual(first);
      expect(first.length).toBeGreaterThan(20);
    }
  });

  // Tests of the simulation itself.
  if (testExtent() === 'full') {
    it("gives the same run with Node's own abort signals and turns of the event loop", async () => {
      const seeds = Array.from({ length: 24 }, (_, index) => index + 1);
      expect(seeds.some((seed) => randomScenario(seed).batchLimit > 1)).toBe(true);
      const ofNode = await eachTrace(seeds);
      const undo = [usePlainAbortSignals(), simulateTurns()];
      const simulated = await eachTrace(seeds).finally(() => undo.forEach((restore) => restore()));
      expect(simulated).toEqual(ofNode);
    });
  }

  it('never lets a line of a watch overtake another one of the same connection', async () => {
    const lines: string[] = [];
    const faults = { watchDelayed: { rate: 0.5 } };
    await runScenario({ ...randomScenario(3), faults, happenings: [] }, (line) => lines.push(line));
    const sent = lines.flatMap((line) => {
      const match = /\S+ (?<process>\S+) +watch (?<plural>\S+): .* (?<revision>\d+)$/u.exec(line);
      return match?.groups === undefined ? [] : [match.groups];
    });
    const connections = Map.groupBy(sent, ({ process, plural }) => `${process} ${plural}`);
    expect(Math.max(...[...connections.values()].map(({ length }) => length))).toBeGreaterThan(9);
    for (const connection of connections.values()) {
      const revisions = connection.map(({ revision }) => Number(revision));
      expect(revisions).toEqual(revisions.toSorted((left, right) => left - right));
    }
  });

  it(`keeps all invariants in ${seeds} random runs, and every fault strikes`, async () => {
    const { report } = await runParallel({ from: 1, count: seeds, shape: {} });
    expect(report.failures.map(({ scenario, violations }) => [scenario.seed, violations])).toEqual(
      [],
    );
    expect(report.runs).toBe(seeds);
    expect(silentKinds(report)).toEqual([]);
  });
});

async function traceOf(seed: number): Promise<readonly string[]> {
  const lines: string[] = [];
  await runScenario(randomScenario(seed), (line) => lines.push(line));
  return lines;
}

async function eachTrace(seeds: readonly number[]): Promise<readonly (readonly string[])[]> {
  const traces: (readonly string[])[] = [];
  for (const seed of seeds) traces.push(await traceOf(seed));
  return traces;
}
