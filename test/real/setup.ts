/**
 * Vitest global setup: one cluster with containers for all files, with the images of every process. What
 * takes minutes is built here, once, before any test waits for it.
 */
import type { TestProject } from 'vitest/node';
import { obtainOrSkip, reportProgress } from '#test/support/part-unavailable.ts';
import { releaseAndImport } from './cluster/installed-images.ts';
import { obtainParts } from './cluster/parts.ts';
import { clusterOf, type RealClusterFacts } from './cluster/real-cluster.ts';
import { startRealCluster } from './cluster/start.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where there can be no cluster with containers. */
    realCluster: RealClusterFacts | undefined;
  }
}

/** Returns the teardown. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const parts = await obtainOrSkip(() => obtainParts(reportProgress));
  if (parts === undefined) {
    project.provide('realCluster', undefined);
    return () => Promise.resolve();
  }
  const { facts, stop } = await startRealCluster(parts, reportProgress);
  try {
    await releaseAndImport(clusterOf(facts), reportProgress);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('realCluster', facts);
  return stop;
}
