/**
 * The ServiceAccounts of an installation with everything that gives them rights, and a kubeconfig for
 * each.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeclaredProcess } from '#shared/installation/declared-process.ts';
import { accessOf } from '#shared/installation/access.ts';
import { kubeconfig } from './control-plane/kubeconfig.ts';
import { kubectlOrThrow } from './control-plane/kubectl.ts';
import type { ClusterHandle } from './require.ts';

export interface InstalledAccounts {
  /** The kubeconfig of a process. */
  readonly kubeconfigOf: (process: string) => string;
  /** Its user name in the API server. */
  readonly userOf: (process: string) => string;
  remove(): Promise<void>;
}

export async function installAccounts(
  cluster: ClusterHandle,
  processes: readonly DeclaredProcess[],
  namespace: string,
): Promise<InstalledAccounts> {
  const { kubectl, server, caFile } = cluster;
  const items = processes.flatMap((process) => accessOf(process, { namespace, namespaced: false }));
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const apply = ['apply', '--server-side', '--force-conflicts', '-f', '-'];
  await kubectlOrThrow(kubectl, apply, { input });
  const folder = await mkdtemp(join(tmpdir(), 'millrace-accounts-'));
  const fileOf = (process: string) => join(folder, `${process}.yaml`);
  const ca = await readFile(caFile, 'utf8');
  for (const { name } of processes) {
    const create = ['create', 'token', name, '-n', namespace, '--duration=1h'];
    const token = (await kubectlOrThrow(kubectl, create)).trim();
    await writeFile(fileOf(name), kubeconfig({ server, ca, user: name, token }));
  }
  return {
    kubeconfigOf: fileOf,
    userOf: (process) => `system:serviceaccount:${namespace}:${process}`,
    remove: async () => {
      const bindings = items.filter(({ kind }) => kind === 'ClusterRoleBinding');
      const ofThem = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: bindings });
      await kubectlOrThrow(kubectl, ['delete', '-f', '-'], { input: ofThem });
      await rm(folder, { recursive: true });
    },
  };
}
