/** A process with a bug: it does one task and ends. The bug is in place before any code is loaded. */
import { enableCompileCache } from 'node:module';
import { breakModule } from '../mutants/mutated-modules.ts';
import type { MutatedReply, MutatedTask, Search } from './mutated-run.ts';
import type { Scenario } from './scenario.ts';

// Most of such a short run is compilation.
enableCompileCache();
// Thousands of faults are thrown here and their stacks are not read.
Error.stackTraceLimit = 0;

process.once('message', (task: MutatedTask) => {
  breakModule(task.mutation);
  perform(task).then(
    (reply) => process.send?.(reply, () => process.disconnect()),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});

async function perform({ scenario, search }: MutatedTask): Promise<MutatedReply> {
  const { usePlainAbortSignals } = await import('./world/abort-signals.ts');
  const { simulateTurns } = await import('./world/event-loop-turns.ts');
  const { runScenario } = await import('./run-scenario.ts');
  usePlainAbortSignals();
  simulateTurns();
  if (search !== undefined) return find(scenario, search);
  return { kind: 'played', violations: (await runScenario(scenario)).violations };
}

async function find(scenario: Scenario, { breaks, seeds, skip }: Search): Promise<MutatedReply> {
  const { runScenario } = await import('./run-scenario.ts');
  const { randomScenario } = await import('./random-scenario.ts');
  const { shrink } = await import('./shrink.ts');
  const isBroken = (violations: readonly string[]): boolean =>
    violations.some((violation) => violation.startsWith(breaks));
  for (let at = skip; at < 2 * seeds; at += 1) {
    const seed = (at % seeds) + 1;
    const candidate = at < seeds ? { ...scenario, seed } : randomScenario(seed);
    const { violations } = await runScenario(candidate);
    if (!isBroken(violations)) continue;
    const shrunk = await shrink(candidate, violations, isBroken);
    return { kind: 'found', tried: at + 1, shrunk };
  }
  return { kind: 'nothing' };
}
