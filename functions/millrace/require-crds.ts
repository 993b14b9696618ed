import { kinds } from '#functions/list.ts';
import { hasCode, MillraceError } from '#shared/domain/errors.ts';
import { apiVersionOf } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';

/** Throws MR_CRDS_MISSING naming what the cluster does not serve. */
export async function requireCrds(client: KubeClient): Promise<void> {
  const missing: string[] = [];
  for (const resource of kinds.map((kind) => kind.resource)) {
    try {
      await client.list(resource, { limit: 1 });
    } catch (error) {
      if (!hasCode(error, 'MR_API_NOT_FOUND')) throw error;
      missing.push(`${resource.plural}.${apiVersionOf(resource)}`);
    }
  }
  if (missing.length > 0) {
    throw new MillraceError('MR_CRDS_MISSING', { resources: missing.join(' and ') });
  }
}
