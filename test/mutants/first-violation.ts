/**
 * A process of its own: the kept scenarios, then seeds from 1 on, until one violates an invariant. Its
 * last line is a `Sighting` as JSON; without one the code could not even be run.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomScenario } from '../simulation/random-scenario.ts';
import { runScenario } from '../simulation/run-scenario.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { usePlainAbortSignals } from '../simulation/world/abort-signals.ts';
import { simulateTurns } from '../simulation/world/event-loop-turns.ts';
import { reachedHere } from './generated/reached-here.ts';

export interface Sighting {
  /** `seed N`, or `kept scenario: RULE`. Undefined: nothing showed anything. */
  readonly by?: string;
  readonly violation?: string;
  /** Of code that counts: the candidates that were come by. */
  readonly reached: readonly string[];
}

/** Errors are made in great numbers, most of them to be caught: without where they come from. */
Error.stackTraceLimit = 0;
usePlainAbortSignals();
simulateTurns();

const found = await firstViolation(Number(process.argv[2]));
const sighting: Sighting = { ...found, reached: reachedHere() };
process.stdout.write(`\n${JSON.stringify(sighting)}\n`);

async function firstViolation(seeds: number): Promise<Omit<Sighting, 'reached'>> {
  const file = join(import.meta.dirname, '../simulation/regressions.json');
  const kept = JSON.parse(readFileSync(file, 'utf8')) as { rule: string; scenario: Scenario }[];
  for (const { rule, scenario } of kept) {
    const [violation] = (await runScenario(scenario)).violations;
    if (violation !== undefined) return { by: `kept scenario: ${rule}`, violation };
  }
  for (let seed = 1; seed <= seeds; seed += 1) {
    const [violation] = (await runScenario(randomScenario(seed))).violations;
    if (violation !== undefined) return { by: `seed ${seed}`, violation };
  }
  return {};
}
