/** A process that runs the seeds it is sent; one for each core. */
import { runSeeds } from './batch.ts';
import type { Assignment, Finished } from './parallel.ts';
import { usePlainAbortSignals } from './world/abort-signals.ts';
import { simulateTurns } from './world/event-loop-turns.ts';

usePlainAbortSignals();
// Thousands of faults are thrown here and their stacks are not read; a failing seed is played again.
Error.stackTraceLimit = 0;
simulateTurns();

process.on('message', ({ from, count, shape }: Assignment) => {
  const before = process.cpuUsage();
  runSeeds(from, count, shape).then(
    (report) => {
      const { user, system } = process.cpuUsage(before);
      process.send?.({ report, cpuMs: (user + system) / 1_000 } satisfies Finished);
    },
    (error: unknown) => {
      process.stderr.write(`seeds ${from} to ${from + count - 1}: ${String(error)}\n`);
      process.exit(1);
    },
  );
});
