import {
  controllerOf,
  type KubeObject,
  type ObjectName,
  type Uid,
  type Resource,
} from '#shared/domain/objects.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeClient } from './client.ts';
import type { Reader } from './reader.ts';

/** Children listed per request, as client-go's pager. */
const pageLimit = 500;

/**
 * Reads from the API server. Children are selected by the uid label that every child of ours has
 * and then by the controller's uid: a label may be set by anybody. Errors are the client's.
 */
export function apiReader(client: KubeClient): Reader {
  return {
    get: (kind, name) => client.get(kind, name),
    listByOwner: (kind, owner) => controlledBy(client, kind, owner, [owner.uid]),
    listByOwners: (kind, root, children) => controlledBy(client, kind, root, children),
  };
}

async function controlledBy(
  client: KubeClient,
  kind: Resource,
  { namespace, uid }: Pick<ObjectName, 'namespace'> & { readonly uid: Uid },
  controllers: readonly Uid[],
): Promise<readonly KubeObject[]> {
  const wanted: ReadonlySet<Uid | undefined> = new Set(controllers);
  const children: KubeObject[] = [];
  let next: string | undefined;
  do {
    const page = await client.list(kind, {
      namespace,
      labelSelector: `${labels.ownerUid}=${uid}`,
      limit: pageLimit,
      ...(next === undefined ? {} : { continue: next }),
    });
    children.push(...page.items.filter(({ metadata }) => wanted.has(controllerOf(metadata)?.uid)));
    next = page.continue;
  } while (next !== undefined);
  return children;
}
