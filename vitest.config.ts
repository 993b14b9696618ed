import { defineConfig } from 'vitest/config';
import { patienceMs } from './test/support/patience.ts';
import { workersVariable } from './test/support/test-workers.ts';

/** Of what needs no control plane each processor runs a file; without it one processor of two stands idle. */
const maxWorkers = Number(process.env[workersVariable] ?? 0) || '100%';

/** Limits are to end what hangs: what takes a second takes many of them on a busy machine. */
const waits = {
  setupFiles: ['test/support/patient-waits.ts'],
  expect: { poll: { timeout: patienceMs } },
};

/** One for all files of a project; one process loads Millrace once, not for each of them. */
const onControlPlane = {
  ...waits,
  globalSetup: ['test/support/cluster-setup.ts'],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  fileParallelism: false,
  isolate: false,
};

/** A project names the level: what real parts a suite needs. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          ...waits,
          maxWorkers,
          // A worker loads each module once, not for each of 380 files: two thirds of the processor time.
          isolate: false,
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
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'simulation',
          ...waits,
          maxWorkers,
          include: ['test/simulation/**/*.test.ts'],
          testTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'contract',
          ...waits,
          maxWorkers,
          include: ['test/contract/**/*.test.ts'],
          globalSetup: ['test/support/redis-setup.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'attacks',
          ...waits,
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
          ...onControlPlane,
          include: [
            'test/cluster/**/*.test.ts',
            'test/conformance/{conformance,schema,controllers,kubectl}.test.ts',
            'test/attacks/cluster/**/*.test.ts',
          ],
        },
      },
      {
        test: { name: 'kueue', ...onControlPlane, include: ['test/kueue/**/*.test.ts'] },
      },
    ],
  },
});
