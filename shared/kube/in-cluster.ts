import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { connect, type Connection } from './connection.ts';
import { kubeconfigUnusable } from './kubeconfig-fault.ts';

/** Where the kubelet mounts a pod's service account. */
export const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface ServiceAccountLocation {
  /** The variable KUBERNETES_SERVICE_HOST. */
  readonly host: string;
  /** The variable KUBERNETES_SERVICE_PORT. */
  readonly port: string;
  /** Default: {@link serviceAccountFolder}. */
  readonly folder?: string;
}

/** The connection of a pod's service account. Throws MR_KUBECONFIG_UNUSABLE. */
export async function connectInCluster(location: ServiceAccountLocation): Promise<Connection> {
  const folder = location.folder ?? serviceAccountFolder;
  const host = isIPv6(location.host) ? `[${location.host}]` : location.host;
  const server = `https://${host}:${location.port}`;
  const namespace = await readTrimmed(join(folder, 'namespace'));
  return connect({
    server,
    namespace,
    podNamespace: namespace,
    describe: `service account in ${folder}, server ${server}`,
    read: async () => ({
      tls: { ca: await readTrimmed(join(folder, 'ca.crt')) },
      headers: { authorization: `Bearer ${await readTrimmed(join(folder, 'token'))}` },
    }),
  });
}

async function readTrimmed(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw kubeconfigUnusable(path, cause);
  }
}
