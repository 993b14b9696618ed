/**
 * The watches that are open: the watch cache of the API server (pkg/storage/cacher).
 *
 * watch-1 A watch sends every change after its resourceVersion once, in order, or fails with 410.
 * watch-2 An object that leaves the selection is sent as deleted; one that enters it as added.
 */
import { apiVersionOf, type KubeObject } from '#shared/domain/objects.ts';
import { typeKey } from '../registry/resource-type.ts';
import type { StoreEvent } from '../store/object-store.ts';
import type { Bookmark, WatchLine } from './api-answer.ts';
import type { ApiCall } from './api-call.ts';
import type { ObjectPredicate } from './field-selector.ts';
import { checkReached, parsedVersion, selection } from './read.ts';
import { expired, StatusError } from '../apimachinery/status-error.ts';
import { storageFor } from './storage-for.ts';
import type { World } from './world.ts';

type OnLine = (line: WatchLine) => void;

interface Watch {
  readonly call: ApiCall;
  readonly matches: ObjectPredicate | undefined;
  readonly fromStored: (object: KubeObject) => KubeObject;
  readonly onLine: OnLine;
  /** Events up to this revision have been sent. */
  seen: number;
}

const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' };

export class Watches {
  readonly #world: World;
  readonly #byType = new Map<string, Set<Watch>>();

  constructor(world: World) {
    this.#world = world;
    world.store.onChange((event) => this.#tell(event));
  }

  /** See SandboxApi.watch. */
  open(call: ApiCall, onLine: OnLine): () => void {
    const world = this.#world;
    const { type, fromStored } = storageFor(world, call.type);
    const watch: Watch = {
      call,
      matches: selection(call),
      fromStored,
      onLine,
      seen: world.store.revision,
    };
    const backlog = this.#backlog(watch);
    const key = typeKey(type);
    let open = this.#byType.get(key);
    if (open === undefined) {
      open = new Set();
      this.#byType.set(key, open);
    }
    // Before the backlog is sent, so that writes of a listener are not missed.
    open.add(watch);
    backlog();
    return () => void open.delete(watch);
  }

  sendBookmarks(): void {
    const { revision } = this.#world.store;
    for (const watches of this.#byType.values()) {
      for (const { call, onLine } of watches) {
        if (call.options.allowWatchBookmarks === true) onLine(bookmark(call, revision));
      }
    }
  }

  /** Sends existing objects or past events. Refuses first if that is impossible. */
  #backlog(watch: Watch): () => void {
    const { options } = watch.call;
    const { store } = this.#world;
    const { resourceVersion = '', sendInitialEvents } = options;
    checkInitialEvents(watch.call);
    const isFresh = resourceVersion === '' || resourceVersion === '0';
    const from = isFresh ? store.revision : parsedVersion(resourceVersion);
    checkReached(this.#world, from);
    const key = typeKey(storageFor(this.#world, watch.call.type).type);
    const showsState = sendInitialEvents ?? isFresh;
    if (!showsState && from < store.history.floor) throw tooOld(from, store.history.floor);
    if (!showsState) {
      const past = store.history.after(from);
      return () => {
        for (const event of past) {
          if (typeKey(event.resourceType) === key) this.#tellOne(watch, event);
        }
      };
    }
    return () => this.#tellState(watch, sendInitialEvents === true);
  }

  #tellState(watch: Watch, isStreamedList: boolean): void {
    const { call, matches, onLine, fromStored } = watch;
    const { type } = storageFor(this.#world, call.type);
    for (const object of this.#world.store.list(type, call.namespace)) {
      if (matches?.(object) ?? true) onLine({ type: 'ADDED', object: fromStored(object) });
    }
    if (isStreamedList) onLine(bookmark(call, watch.seen, initialEventsEnd));
  }

  #tell(event: StoreEvent): void {
    const watches = this.#byType.get(typeKey(event.resourceType));
    if (watches === undefined) return;
    for (const watch of watches) {
      if (event.revision > watch.seen) this.#tellOne(watch, event);
    }
  }

  #tellOne(watch: Watch, event: StoreEvent): void {
    const { call, matches, onLine, fromStored } = watch;
    const { object, old, revision } = event;
    watch.seen = Math.max(watch.seen, revision);
    if (call.namespace !== '' && object.metadata.namespace !== call.namespace) return;
    const isNow = event.type !== 'DELETED' && (matches?.(object) ?? true);
    const wasBefore = old !== undefined && (matches?.(old) ?? true);
    if (isNow) onLine({ type: wasBefore ? 'MODIFIED' : 'ADDED', object: fromStored(object) });
    else if (wasBefore) onLine({ type: 'DELETED', object: fromStored(lastState(event, old)) });
  }
}

/**
 * For an object that left the selection: its last state within it, at the version of the change.
 */
function lastState({ type, object }: StoreEvent, old: KubeObject): KubeObject {
  if (type === 'DELETED') return object;
  const { resourceVersion } = object.metadata;
  return { ...old, metadata: { ...old.metadata, resourceVersion } };
}

function tooOld(from: number, floor: number): Error {
  return expired(`too old resource version: ${from} (${floor + 1})`);
}

function bookmark(
  { type }: ApiCall,
  revision: number,
  annotations?: Readonly<Record<string, string>>,
): WatchLine {
  const metadata: Bookmark['metadata'] = {
    resourceVersion: String(revision),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return {
    type: 'BOOKMARK',
    object: { apiVersion: apiVersionOf(type), kind: type.kind, metadata },
  };
}

/** metav1 ValidateListOptions for KEP-3157. Throws StatusError 422. */
function checkInitialEvents({ options }: ApiCall): void {
  const { sendInitialEvents, resourceVersionMatch } = options;
  const message =
    sendInitialEvents === undefined
      ? resourceVersionMatch === undefined
        ? undefined
        : 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'
      : resourceVersionMatch !== 'NotOlderThan'
        ? 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'
        : undefined;
  if (message === undefined) return;
  const field = 'resourceVersionMatch';
  const causes = [{ reason: 'FieldValueForbidden', message: `Forbidden: ${message}`, field }];
  const text = `ListOptions.meta.k8s.io "" is invalid: ${field}: Forbidden: ${message}`;
  throw new StatusError(422, 'Invalid', text, {
    group: 'meta.k8s.io',
    kind: 'ListOptions',
    causes,
  });
}
