/** Many seeds, one after another, and their combined result. */
import { randomScenario, type Shape } from './random-scenario.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

export interface Failure {
  readonly scenario: Scenario;
  readonly violations: readonly string[];
}

export interface BatchReport {
  readonly runs: number;
  readonly steps: number;
  readonly virtualMs: number;
  readonly passes: number;
  readonly writes: number;
  /** Creates that were overtaken on their way, by the kind of overtaking. */
  readonly overtaken: Readonly<Record<string, number>>;
  /** Counts how often the rules permitted another outcome than the truth would give, by name. */
  readonly freedoms: Readonly<Record<string, number>>;
  /** Number of strikes of each fault, event and action. */
  readonly fired: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
}

export const emptyReport: BatchReport = {
  runs: 0,
  steps: 0,
  virtualMs: 0,
  passes: 0,
  writes: 0,
  overtaken: {},
  freedoms: {},
  fired: {},
  failures: [],
};

export async function runSeeds(from: number, count: number, shape: Shape): Promise<BatchReport> {
  let report = emptyReport;
  for (let seed = from; seed < from + count; seed += 1) {
    report = added(report, await runSeed(randomScenario(seed, shape)));
  }
  return report;
}

async function runSeed(scenario: Scenario): Promise<BatchReport> {
  const { violations, ...numbers } = await runScenario(scenario);
  return {
    ...numbers,
    runs: 1,
    failures: violations.length === 0 ? [] : [{ scenario, violations }],
  };
}

export function added(left: BatchReport, right: BatchReport): BatchReport {
  return {
    runs: left.runs + right.runs,
    steps: left.steps + right.steps,
    virtualMs: left.virtualMs + right.virtualMs,
    passes: left.passes + right.passes,
    writes: left.writes + right.writes,
    overtaken: summed(left.overtaken, right.overtaken),
    freedoms: summed(left.freedoms, right.freedoms),
    fired: summed(left.fired, right.fired),
    failures: [...left.failures, ...right.failures],
  };
}

type Counts = Readonly<Record<string, number>>;

function summed(left: Counts, right: Counts): Counts {
  const sums: Record<string, number> = { ...left };
  for (const [kind, count] of Object.entries(right)) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}
