import { kubectlPatience } from '#test/support/patience.ts';
import type { RealCluster } from './real-cluster.ts';

/** Every Pod of the Deployments is of their last version and ready when it returns. */
export async function rolledOut(
  { ask }: Pick<RealCluster, 'ask'>,
  namespace: string,
  deployments: readonly string[],
): Promise<void> {
  for (const name of deployments) {
    await ask(['-n', namespace, 'rollout', 'status', `deployment/${name}`, kubectlPatience]);
  }
}
