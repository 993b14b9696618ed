/** Deterministic simulation; `npm run simulate -- --help` lists the options. */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runParallel } from './parallel.ts';
import type { Failure } from './batch.ts';
import { randomScenario, type Shape } from './random-scenario.ts';
import { silentKinds, summary, storyOf } from './report.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { usePlainAbortSignals } from './world/abort-signals.ts';
import { simulateTurns } from './world/event-loop-turns.ts';

usePlainAbortSignals();
simulateTurns();

const usage = `npm run simulate [-- OPTIONS]

Plays bridge, dispatcher and function over a simulated cluster, once for each seed, and judges every
step. Exit code 1 after a violation, or when a kind of fault never struck in 500 seeds or more.

  --seeds N        how many; 1000
  --from N         the first of them; 1
  --seed N         this one alone, with its whole trace
  --scenario FILE  a scenario as the report of a failure prints it, with its whole trace
  --steps N        one flow of N steps in each seed
  --workers N      processes; as many as there are cores
  --keep-going     past the third failure
  --no-shrink      prints failing seeds as they are, instead of the smallest scenario that fails
  --help           this text

The page docs/simulation.md explains what can happen and what is judged.
`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    steps: { type: 'string' },
    scenario: { type: 'string' },
    workers: { type: 'string' },
    'keep-going': { type: 'boolean', default: false },
    'no-shrink': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Number of failures that ends a run, unless it should continue. */
const enoughFailures = 3;

if (values.help) {
  process.stdout.write(usage);
} else if (values.scenario !== undefined) {
  await traced(JSON.parse(await readFile(values.scenario, 'utf8')) as Scenario);
} else if (values.seed !== undefined) {
  await traced(randomScenario(numberOf('seed', values.seed), shape()));
} else await batch();

function shape(): Shape {
  return values.steps === undefined ? {} : { steps: numberOf('steps', values.steps, 1) };
}

async function traced(scenario: Scenario): Promise<void> {
  print(storyOf(scenario));
  const outcome = await runScenario(scenario, print);
  print(JSON.stringify({ ...outcome, violations: outcome.violations.length }));
  if (outcome.violations.length > 0) process.exitCode = 1;
}

async function batch(): Promise<void> {
  const count = numberOf('seeds', values.seeds, 1);
  const from = numberOf('from', values.from);
  const startedMs = performance.now();
  const { report, cpuMs } = await runParallel({
    from,
    count,
    shape: shape(),
    ...(values.workers === undefined ? {} : { workers: numberOf('workers', values.workers, 1) }),
    onProgress: ({ runs, failures }) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${runs} of ${count} seeds`);
      return values['keep-going'] || failures.length < enoughFailures;
    },
  });
  if (process.stderr.isTTY) process.stderr.write('\n');
  print(summary(report, performance.now() - startedMs, cpuMs));
  for (const failure of report.failures.slice(0, enoughFailures)) await explain(failure);
  const others = report.failures.slice(enoughFailures);
  for (const { scenario, violations } of others)
    print(`seed ${scenario.seed}: ${violations[0] ?? ''}`);
  const silent = silentKinds(report);
  if (silent.length > 0)
    print(`never struck, so that nothing was tested of it: ${silent.join(', ')}`);
  process.exitCode = report.failures.length + silent.length > 0 ? 1 : 0;
}

async function explain({ scenario, violations }: Failure): Promise<void> {
  print(`\nseed ${scenario.seed}: ${violations.join('\n  ')}`);
  const steps = values.steps === undefined ? '' : ` --steps ${values.steps}`;
  print(`again, with its trace: npm run simulate -- --seed ${scenario.seed}${steps}`);
  if (values['no-shrink']) return;
  const shrunk = await shrink(scenario, violations);
  print(`smallest found in ${shrunk.runs} runs: ${shrunk.violations.join('\n  ')}`);
  print(storyOf(shrunk.scenario));
  print(`for regressions.json: ${JSON.stringify(shrunk.scenario)}`);
  await runScenario(shrunk.scenario, print);
}

function numberOf(name: string, text: string, least = 0): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  print(`--${name} takes a whole number from ${least} on, not "${text}"`);
  return process.exit(2);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
