import { defineConfig } from 'vitest/config';
import { workersVariable } from './test/support/test-workers.ts';

/** Of what needs no control plane each processor runs a file; without it one processor of two stands idle. */
const maxWorkers = Number(process.env[workersVariable] ?? 0) || '100%';

/** A project names the level: what real parts a suite needs. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          maxWorkers,
          include: [
            'shared/**/*.test.ts',
            'functions/**/*.test.ts',
            'sandbox/**/*.test.ts',
            'deploy/**/*.test.ts',
            'test/support/**/*.test.ts',
            'test/mutants/**/*.test.ts',
            'test/architecture/**/*.test.ts',
            'test/functions/**/*.test.ts',
            'test/bench/**/*.test.ts',
            'test/conformance/record.test.ts',
            'test/conformance/harness/**/*.test.ts',
          ],
          // Beside the node with containers these have a quarter of a processor: the limit is to end what hangs,
          // and what a test computes in a second may take many of the clock.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'simulation',
          maxWorkers,
          include: ['test/simulation/**/*.test.ts'],
          testTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'contract',
          maxWorkers,
          include: ['test/contract/**/*.test.ts'],
          globalSetup: ['test/support/redis-setup.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'attacks',
          include: ['test/attacks/**/*.test.ts'],
          exclude: ['test/attacks/cluster/**'],
          globalSetup: ['test/support/redis-setup.ts'],
          testTimeout: 60_000,
          // An attack is to be the only burden of its victim: after the others, one by one.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'cluster',
          include: [
            'test/cluster/**/*.test.ts',
            'test/conformance/conformance.test.ts',
            'test/attacks/cluster/**/*.test.ts',
          ],
          globalSetup: ['test/support/cluster-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
