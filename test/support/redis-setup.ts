/** Vitest global setup: one Redis for the project, from REDIS_URL or started here. */
import type { TestProject } from 'vitest/node';
import { obtainOrSkip, reportProgress } from './part-unavailable.ts';
import { startRedis } from './redis.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined: this machine cannot provide Redis. It is shared, so use your own key prefixes. */
    redisUrl: string | undefined;
  }
}

/** Returns the teardown. */
export default async function setupRedis(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env['REDIS_URL'];
  if (external !== undefined && external !== '') {
    project.provide('redisUrl', external);
    return () => Promise.resolve();
  }
  const redis = await obtainOrSkip(() => startRedis({ progress: reportProgress }));
  project.provide('redisUrl', redis?.url);
  return async () => redis?.stop();
}
