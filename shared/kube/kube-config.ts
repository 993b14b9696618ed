import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Connection } from './connection.ts';
import { connectInCluster, type ServiceAccountLocation } from './in-cluster.ts';
import { connectByFile } from './kubeconfig-file.ts';

export interface LoadOptions {
  /** A path, or several joined as in the variable KUBECONFIG. */
  readonly kubeconfig?: string;
  /** Default: the file's current context. */
  readonly context?: string;
  /** Set when the process runs in a pod. */
  readonly inCluster?: ServiceAccountLocation;
}

/**
 * Opens a connection from the given kubeconfig, else from the pod's service account, else from
 * `~/.kube/config` (the order of controller-runtime's GetConfig). Throws MR_KUBECONFIG_UNUSABLE
 * with path and detail. @kubernetes/client-node costs half a second and 130 MB. So it is loaded
 * only for credential plugins and merged files.
 */
export async function loadConnection(options: LoadOptions = {}): Promise<Connection> {
  if (options.kubeconfig !== undefined) return fromFiles(options.kubeconfig, options.context);
  if (options.inCluster !== undefined) return connectInCluster(options.inCluster);
  return fromFiles(join(homedir(), '.kube', 'config'), options.context);
}

async function fromFiles(paths: string, context: string | undefined): Promise<Connection> {
  const files = paths.split(delimiter).filter((path) => path !== '');
  const [first] = files;
  if (first !== undefined && files.length === 1) {
    const connection = await connectByFile(first, context);
    if (connection !== undefined) return connection;
  }
  const { connectByLibrary } = await import('./kubeconfig-library.ts');
  return connectByLibrary(files, context);
}
