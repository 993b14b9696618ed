import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runParallel } from './parallel.ts';
import { randomScenario } from './random-scenario.ts';
import { silentKinds } from './report.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

interface Regression {
  /** What was wrong then. */
  readonly found: string;
  readonly scenario: Scenario;
}

const regressions = JSON.parse(
  readFileSync(join(import.meta.dirname, 'regressions.json'), 'utf8'),
) as readonly Regression[];

const seeds = 2_000;

describe('the simulation', () => {
  it('gives the same run for the same seed, step by step', async () => {
    for (const seed of [3, 11, 27, 42, 58]) {
      const first: string[] = [];
      const second: string[] = [];
      await runScenario(randomScenario(seed), (line) => first.push(line));
      await runScenario(randomScenario(seed), (line) => second.push(line));
      expect(second).toEqual(first);
      expect(first.length).toBeGreaterThan(20);
    }
  });

  it.each(regressions)('$found: never again', async ({ scenario }) => {
    expect((await runScenario(scenario)).violations).toEqual([]);
  });

  it(`keeps all invariants in ${seeds} random runs, and every fault strikes`, async () => {
    const { report } = await runParallel({ from: 1, count: seeds });
    expect(report.failures.map(({ scenario, violations }) => [scenario.seed, violations])).toEqual(
      [],
    );
    expect(report.runs).toBe(seeds);
    expect(silentKinds(report)).toEqual([]);
  });
});
