import type { KindName } from '#shared/domain/kind-name.ts';
import type { Resource } from '#shared/domain/objects.ts';
import type { KubeClient } from './client.ts';

export type ResourceOf = (kind: KindName) => Promise<Resource | undefined>;

/**
 * Looks up how a kind is served. Found kinds are remembered: plural and scope do not change while a kind is served,
 * and requests for a removed kind find nothing. A missing kind is looked up each time, because it may have been
 * installed meanwhile.
 */
export function servedKinds(client: Pick<KubeClient, 'discover'>): ResourceOf {
  const known = new Map<string, Resource>();
  return async ({ apiVersion, kind }) => {
    const key = `${apiVersion} ${kind}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const served = (await client.discover(apiVersion))?.find((each) => each.kind === kind);
    if (served !== undefined) known.set(key, served);
    return served;
  };
}
