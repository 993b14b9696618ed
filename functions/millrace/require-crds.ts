import { kinds } from '#functions/list.ts';
import { hasCode, MillraceError } from '#shared/domain/errors.ts';
import { apiVersionOf, type Resource } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';

/** Throws MR_CRDS_MISSING with the kinds that the cluster does not serve. */
export async function requireCrds(
  client: Pick<KubeClient, 'list'>,
  namespace?: string,
): Promise<void> {
  const served = await Promise.all(
    kinds.map(({ resource }) => isServed(client, resource, namespace)),
  );
  const missing = kinds.filter((_, index) => served[index] === false);
  if (missing.length === 0) return;
  const names = missing.map(({ resource }) => `${resource.plural}.${apiVersionOf(resource)}`);
  throw new MillraceError('MR_CRDS_MISSING', { resources: names.join(' and ') });
}

async function isServed(
  client: Pick<KubeClient, 'list'>,
  resource: Resource,
  namespace: string | undefined,
): Promise<boolean> {
  const within = namespace === undefined || !resource.namespaced ? {} : { namespace };
  try {
    await client.list(resource, { ...within, limit: 1 });
    return true;
  } catch (error) {
    if (hasCode(error, 'MR_API_NOT_FOUND')) return false;
    throw error;
  }
}
