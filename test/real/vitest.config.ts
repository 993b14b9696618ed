import { defineConfig } from 'vitest/config';

/** A cluster with a kubelet and containers: minutes instead of seconds, root and Linux only. */
export default defineConfig({
  test: {
    name: 'real',
    include: ['test/real/**/*.test.ts'],
    globalSetup: ['test/real/setup.ts'],
    // They end what hangs, after kubectl has said what it waits for.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});
