import { defineConfig } from 'vitest/config';

/** A cluster with a kubelet and containers: minutes instead of seconds, root and Linux only. */
export default defineConfig({
  test: {
    name: 'real',
    include: ['test/real/**/*.test.ts'],
    globalSetup: ['test/real/setup.ts'],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
