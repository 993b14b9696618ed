import {
  isControlledBy,
  type KubeObject,
  type Uid,
  type Resource,
} from '#shared/domain/objects.ts';
import { traceOf } from '#shared/domain/trace.ts';
import { mostRecent } from './api-reader.ts';
import type { View } from './object-view.ts';
import type { Reader } from './reader.ts';

/** What a process keeps views of; for other resources there is always the API server. */
export interface Views<V = View> {
  of(resource: Resource): V | undefined;
}

/**
 * Reads from the views of this process and, for a kind without a view or while its view is not
 * complete, from `fallback`. A view may be late, so that an object is taken for absent only when
 * `fallback` says so too; a list may lack what has just been created.
 */
export function viewReader(views: Views, fallback: Reader): Reader {
  const complete = (resource: Resource): View | undefined => completeIn(views, resource);
  return {
    get: async (kind, { namespace, name }, controller, asOf) => {
      const view = asOf === 'now' ? undefined : complete(kind);
      const known = view?.get(namespace, name);
      const isMeant = controller === undefined || isMeantBy(known, controller);
      return known !== undefined && isMeant ? known : fallback.get(kind, { namespace, name });
    },
    list: async (resource, asOf) => {
      const view = asOf === 'now' ? undefined : complete(resource);
      return view === undefined ? fallback.list(resource, asOf) : [...view.values()];
    },
    listByOwner: async (kind, owner, now) => {
      const view = now === undefined ? complete(kind) : undefined;
      return view?.listByOwner(owner.uid) ?? fallback.listByOwner(kind, owner, now);
    },
    listByOwners: async (kind, root, children) => {
      const view = complete(kind);
      if (view === undefined) return fallback.listByOwners(kind, root, children);
      return children.flatMap((uid) => view.listByOwner(uid));
    },
    listByRoot: async (kind, root) =>
      complete(kind)?.listByRoot(root.uid) ?? (await fallback.listByRoot?.(kind, root)) ?? [],
    resourceOf: async (kind) => fallback.resourceOf?.(kind),
    eventsAbout: async (about) => (await fallback.eventsAbout?.(about)) ?? [],
    currentAsOfMs: (resource) => complete(resource)?.currentAsOfMs ?? -Infinity,
    onceThere: (kind, owner) => {
      const view = complete(kind);
      return view && { traces: view.removedByOwner(owner), isWhole: view.remembersRemovals };
    },
  };
}

/**
 * Reads from the API server as it is now, for when the views have turned out to be behind. What was there before only
 * they can tell.
 */
export function mostRecentBeside(views: Views, server: Reader): Reader {
  return {
    ...mostRecent(server),
    onceThere: (kind, owner) => {
      const view = completeIn(views, kind);
      if (view === undefined) return undefined;
      const held = view.listByOwner(owner).map(({ metadata }) => traceOf(metadata));
      const traces = [...view.removedByOwner(owner), ...held];
      return { traces, isWhole: view.remembersRemovals };
    },
  };
}

function completeIn(views: Views, resource: Resource): View | undefined {
  const view = views.of(resource);
  return view?.synced === true ? view : undefined;
}

function isMeantBy(object: KubeObject | undefined, controller: Uid): boolean {
  return object !== undefined && isControlledBy(object.metadata, controller);
}
