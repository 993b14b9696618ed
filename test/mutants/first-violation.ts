/**
 * A process of its own: seeds from 1 on until one violates an invariant. Its last line is a
 * `Sighting` as JSON; without one the code could not even be run.
 */
import { randomScenario } from '../simulation/random-scenario.ts';
import { runScenario } from '../simulation/run-scenario.ts';

export interface Sighting {
  /** Undefined: no seed showed anything. */
  readonly seed?: number;
  readonly violation?: string;
}

/** Errors are made in great numbers, most of them to be caught: without where they come from. */
Error.stackTraceLimit = 0;

const seeds = Number(process.argv[2]);
let sighting: Sighting = {};
for (let seed = 1; seed <= seeds && sighting.seed === undefined; seed += 1) {
  const { violations } = await runScenario(randomScenario(seed));
  const [violation] = violations;
  if (violation !== undefined) sighting = { seed, violation };
}
process.stdout.write(`\n${JSON.stringify(sighting)}\n`);
