import { type KubeObject, objectName } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { listed } from '../why/surroundings.ts';
import type { PicturedKind } from './pictured-kinds.ts';

/** The Jobs with the name of the object in their label. Empty if its kind has no such label. */
export async function jobsOf(
  { jobLabel }: Pick<PicturedKind, 'jobLabel'>,
  { metadata }: KubeObject,
  { client }: { readonly client: Pick<KubeClient, 'get' | 'list'> },
): Promise<readonly KubeObject[]> {
  if (jobLabel === undefined) return [];
  const { namespace, name } = objectName(metadata);
  return listed({ client }, resources.Job, namespace, { labelSelector: `${jobLabel}=${name}` });
}
