import { join } from 'node:path';
import { processes } from '#functions/processes.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import type { RealCluster } from './cluster/real-cluster.ts';

const overlays = join(import.meta.dirname, '../../deploy/overlays');

/** Ready when it returns; says how long that took. */
export async function applyOverlay({ ask }: RealCluster, overlay: string): Promise<void> {
  const startMs = Date.now();
  await ask(['apply', '--server-side', '-k', join(overlays, overlay)]);
  for (const { name } of processes) {
    const rollout = ['rollout', 'status', '-n', 'millrace', `deployment/${name}`];
    await ask([...rollout, '--timeout=120s']);
  }
  reportProgress(
    `kustomize ${overlay}: ready after ${Math.round((Date.now() - startMs) / 1000)} s`,
  );
}
