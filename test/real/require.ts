import { afterAll, describe, inject } from 'vitest';
import { documented } from '#test/support/documented-commands.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import type {} from './setup.ts';
import { removeNamespace } from './cluster/namespace-removal.ts';
import { clusterOf, type RealCluster } from './cluster/real-cluster.ts';

/** Collected but never run, so its empty facts are never used. */
const nowhere = {
  ...{ pid: '', folder: '', auditLog: '', kubeconfig: '' },
  ...{ kubectl: '', helm: '', ctr: '' },
};

/** A suite on the cluster that all files share: it finds no Millrace there, and leaves none. */
export function describeOnRealCluster(name: string, body: (cluster: RealCluster) => void): void {
  const facts = inject('realCluster');
  describe.skipIf(facts === undefined)(name, () => {
    const cluster = clusterOf(facts ?? nowhere);
    afterAll(() => removeMillrace(cluster));
    body(cluster);
  });
}

/** While it runs, it takes its finalizers off. */
export async function removeMillrace(cluster: RealCluster): Promise<void> {
  const { ask, type } = cluster;
  const kinds =
    'appwrappers,jobflows,jobtemplates,daemonjobs,suspendpolicies,clustersuspendpolicies';
  await ask(['delete', kinds, '--all', '-A', kubectlPatience]);
  await type(documented('npx millrace uninstall --dry-run'));
  await type(documented('npx millrace uninstall --yes'));
  await type(documented('npx millrace uninstall --delete-objects --yes'));
  // Some of them take their grace of half a minute, and there is nothing left that they could do.
  await ask(['delete', 'pods', '--all', '-n', 'millrace', '--force', '--grace-period=0']);
  await removeNamespace(cluster, 'millrace');
}
