/**
 * Vitest global setup: one control plane with three nodes, CRDs and roles for the project, and a
 * Redis. Tests that kill components start their own control plane.
 */
import type { TestProject } from 'vitest/node';
import { type Cluster, functionUsers, startCluster } from './cluster-parts.ts';
import type { Binaries } from './control-plane/binaries.ts';
import { obtainOrSkip, reportProgress } from './part-unavailable.ts';
import setupRedis from './redis-setup.ts';

/** The facts about the running control plane for a test worker. */
export interface ClusterFacts {
  readonly server: string;
  /** PEM file. */
  readonly caFile: string;
  /** Kubeconfig of the admin (system:masters). */
  readonly kubeconfig: string;
  readonly adminToken: string;
  /** JSON lines, see audit-log.ts. */
  readonly auditLog: string;
  readonly binaries: Binaries;
  /** By user, such as `flow-advance`, `bridge`, `dispatcher`. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly kubeconfigs: Readonly<Record<string, string>>;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined: this machine cannot run a control plane. */
    cluster: ClusterFacts | undefined;
  }
}

/** Returns the teardown. */
export default async function setupCluster(project: TestProject): Promise<() => Promise<void>> {
  const stopRedis = await setupRedis(project);
  const cluster = await obtainOrSkip(() => startCluster(reportProgress)).catch(
    async (error: unknown) => {
      await stopRedis();
      throw error;
    },
  );
  project.provide('cluster', cluster && factsOf(cluster));
  return async () => {
    await cluster?.stop();
    await stopRedis();
  };
}

export function factsOf(cluster: Cluster): ClusterFacts {
  const perUser = (of: (user: string) => string) =>
    Object.fromEntries(functionUsers.map((user) => [user, of(user)]));
  return {
    server: cluster.server,
    caFile: cluster.caFile,
    kubeconfig: cluster.adminKubeconfig,
    adminToken: cluster.adminToken,
    auditLog: cluster.auditLog,
    binaries: cluster.binaries,
    tokens: perUser((user) => cluster.tokenFor(user)),
    kubeconfigs: perUser((user) => cluster.kubeconfigFor(user)),
  };
}
