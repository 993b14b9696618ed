import { resources } from '#shared/domain/resources.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { type Cluster, startCluster } from '../support/cluster-parts.ts';
import { completeJobs } from './completer.ts';

/** A control plane for one measurement, with a completer of Jobs. */
export interface Site {
  readonly cluster: Cluster;
  readonly client: HttpKubeClient;
  readonly namespaces: readonly string[];
}

const namespaces = ['bench-0', 'bench-1', 'bench-2', 'bench-3'];
/** The null writer's namespace, which nothing else watches. */
export const nullNamespace = 'bench-null';

/**
 * `jobRunMs`: how long a Job runs before it is complete. Everything that it starts ends with
 * `stack`.
 */
export async function openSite(
  stack: AsyncDisposableStack,
  jobRunMs: number,
  say: (line: string) => void,
): Promise<Site> {
  const cluster = await startCluster(say, { scheduler: false, kwok: false });
  stack.defer(() => cluster.stop());
  // The benchmark acts as the Job controller; any other controller would only be noise.
  await cluster.kill('kube-controller-manager');
  const client = await clientOf(stack, cluster, 'bench-driver');
  for (const name of [...namespaces, nullNamespace]) {
    const metadata = { name };
    await client.create(resources.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata });
  }
  const completer = await clientOf(stack, cluster, 'bench-completer');
  const ending = new AbortController();
  const completing = completeJobs(completer, jobRunMs, ending.signal);
  // Its fault shows as Jobs that never complete; it is awaited only at the end.
  completing.catch((error: unknown) => say(`completer: ${String(error)}`));
  stack.defer(async () => {
    ending.abort();
    await completing.catch(() => undefined);
  });
  return { cluster, client, namespaces };
}

export async function clientOf(
  stack: AsyncDisposableStack,
  cluster: Cluster,
  userAgent: string,
): Promise<HttpKubeClient> {
  const connection = await loadConnection({ kubeconfig: cluster.adminKubeconfig });
  stack.defer(() => connection.close());
  return new HttpKubeClient({ connection, userAgent });
}
