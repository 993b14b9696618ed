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

/** The views of a process. Other resources are read from the API server. */
export interface Views<V = View> {
  of(resource: Resource): V | undefined;
}

/**
 * Reads from the views of this process. For a kind without a complete view it reads from `fallback`. A view may be
 * late, so an object counts as absent only if `fallback` says so too. A list may lack what was just created.
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
 * Reads the current state from the API server, after the views were found to be behind. Only the views know about
 * earlier objects.
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
