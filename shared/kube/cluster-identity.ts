import { MillraceError } from '#shared/domain/errors.ts';
import type { Uid } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from './client.ts';

const name = { namespace: '', name: 'kube-system' };

/**
 * Identifies a cluster for its lifetime by the uid of its namespace kube-system, which cannot be
 * deleted. The convention of OpenTelemetry's k8s.cluster.uid. Throws the client's errors.
 */
export async function clusterUid(client: Pick<KubeClient, 'get'>): Promise<Uid> {
  const namespace = await client.get(resources.Namespace, name);
  if (namespace !== undefined) return namespace.metadata.uid;
  const path = '/api/v1/namespaces/kube-system';
  throw new MillraceError('MR_API_NOT_FOUND', { verb: 'get', path, detail: 'no such namespace' });
}
