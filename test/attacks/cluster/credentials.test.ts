import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { expect, it } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { describeWithCluster } from '#test/support/require.ts';

describeWithCluster('attacks on credentials', (cluster) => {
  it('#48 goes on with the new token when the old one is refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-token-'));
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'expired');
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, configWith(cluster, tokenFile));
    const connection = await loadConnection({ kubeconfig });
    const client = new HttpKubeClient({ connection, userAgent: 'attack-48' });
    const namespace = { namespace: '', name: 'kube-system' };
    try {
      await expect(client.get(resources.Namespace, namespace)).rejects.toMatchObject({
        fields: expect.objectContaining({ status: 401 }) as object,
      });
      await writeFile(tokenFile, cluster.adminToken);
      const found = await client.get(resources.Namespace, namespace);
      expect(found?.metadata.name).toBe('kube-system');
    } finally {
      await connection.close();
      await rm(folder, { recursive: true });
    }
  });
});

function configWith(
  { server, caFile }: { readonly server: string; readonly caFile: string },
  tokenFile: string,
): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'u', user: { tokenFile } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
