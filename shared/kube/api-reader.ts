import {
  controllerOf,
  type KubeObject,
  type ObjectName,
  type Uid,
  type Resource,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeClient, ListOptions } from './client.ts';
import type { Reader } from './reader.ts';
import { servedKinds } from './served-kinds.ts';
import { sharedLists } from './shared-lists.ts';

/** Objects listed per request, as client-go's pager. */
const pageLimit = 500;

/**
 * Reads from the API server. Children are selected by the uid label that Millrace sets on them, then by
 * the controller's uid, because any user may set a label. Throws the client's errors.
 */
export function apiReader(client: KubeClient): Reader {
  return {
    get: (kind, name) => client.get(kind, name),
    list: sharedLists((resource, asOf) =>
      everything(client, resource, asOf === 'now' ? { resourceVersion: '' } : {}),
    ),
    listByOwner: (kind, owner, now) => controlledBy(client, kind, owner, [owner.uid], now),
    listByOwners: (kind, root, children) => controlledBy(client, kind, root, children),
    listByRoot: (kind, { namespace, uid }) =>
      everything(client, kind, { namespace, labelSelector: `${labels.ownerUid}=${uid}` }),
    resourceOf: servedKinds(client),
    // No index serves this selector: the API server scans every Event of the namespace.
    eventsAbout: async ({ namespace, uid }) => {
      const fieldSelector = `involvedObject.uid=${uid}`;
      const options = { namespace, fieldSelector, limit: pageLimit };
      return (await client.list(resources.Event, options)).items;
    },
  };
}

/** Reads the current state in every call, after earlier reads were found to be behind. */
export function mostRecent(server: Reader): Reader {
  return { ...server, list: (resource) => server.list(resource, 'now') };
}

async function controlledBy(
  client: KubeClient,
  kind: Resource,
  { namespace, uid }: Pick<ObjectName, 'namespace'> & { readonly uid: Uid },
  controllers: readonly Uid[],
  only: Pick<ListOptions, 'fieldSelector'> = {},
): Promise<readonly KubeObject[]> {
  const wanted: ReadonlySet<Uid | undefined> = new Set(controllers);
  const labelled = { namespace, labelSelector: `${labels.ownerUid}=${uid}` };
  const children = await everything(client, kind, { ...labelled, ...only });
  return children.filter(({ metadata }) => wanted.has(controllerOf(metadata)?.uid));
}

async function everything(
  client: KubeClient,
  resource: Resource,
  where: Omit<ListOptions, 'limit' | 'continue' | 'signal'>,
): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  let next: string | undefined;
  do {
    const page = await client.list(resource, {
      ...where,
      limit: pageLimit,
      ...(next === undefined ? {} : { continue: next }),
    });
    found.push(...page.items);
    next = page.continue;
  } while (next !== undefined);
  return found;
}
