import { processes } from '#functions/processes.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import type { RealCluster } from './cluster/real-cluster.ts';
import { rolledOut } from './cluster/rollout.ts';

/** Applies an overlay and waits for it. */
export function applyOverlay(cluster: RealCluster, overlay: string): Promise<void> {
  const command = `kubectl apply --server-side -k deploy/overlays/${overlay}`;
  return readyAfter(cluster, `kustomize ${overlay}`, () => cluster.type(command));
}

/** Every Deployment is there and ready when it returns; says how long that took. */
export async function readyAfter(
  cluster: RealCluster,
  what: string,
  install: () => Promise<unknown>,
  deployments = processes.map(({ name }) => name),
): Promise<void> {
  const startMs = Date.now();
  await install();
  await rolledOut(cluster, 'millrace', deployments);
  reportProgress(`${what}: ready after ${Math.round((Date.now() - startMs) / 1000)} s`);
}
