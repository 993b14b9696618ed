import { processes } from '#functions/processes.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import type { RealCluster } from './cluster/real-cluster.ts';

/** Applies an overlay and waits for it. */
export function applyOverlay(cluster: RealCluster, overlay: string): Promise<void> {
  const command = `kubectl apply --server-side -k deploy/overlays/${overlay}`;
  return readyAfter(cluster, `kustomize ${overlay}`, () => cluster.type(command));
}

/** Every Deployment is there and ready when it returns; says how long that took. */
export async function readyAfter(
  { ask }: RealCluster,
  what: string,
  install: () => Promise<unknown>,
): Promise<void> {
  const startMs = Date.now();
  await install();
  for (const { name } of processes) {
    const rollout = ['rollout', 'status', '-n', 'millrace', `deployment/${name}`];
    await ask([...rollout, '--timeout=120s']);
  }
  reportProgress(`${what}: ready after ${Math.round((Date.now() - startMs) / 1000)} s`);
}
