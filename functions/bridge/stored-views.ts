/**
 * Writes the children of each object from the bridge's views into a store, for functions that run apart.
 *
 * stored-views-1 A change is written before any function is woken because of it.
 * stored-views-2 If changes may be missing in the store, the views are void: the store was away, lost its data, or
 *    was held by another bridge. A new session begins, in which every root is missing until it is
 *    written as a whole.
 * stored-views-3 If the store accepts no views (it is out of memory), the views end, but the work goes on.
 * stored-views-4 A child that is gone leaves a note with its name, written with its removal. Otherwise the next
 *    decision might find the child neither among the children nor in the status.
 * stored-views-5 A root is written as a whole only once all resources that may belong to it have been listed. If a
 *    child were left out, it would count as gone.
 */
import { textHash } from '#shared/domain/hash.ts';
import {
  asResourceVersion,
  controllerOf,
  type KubeObject,
  type Resource,
  type ResourceVersion,
  resourceKey,
  type Uid,
} from '#shared/domain/objects.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import { traceOf } from '#shared/domain/trace.ts';
import { rootOf } from '#shared/domain/root-of.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import { placeOf, type Seal } from '#shared/views/seal.ts';
import {
  entryKey,
  listRoot,
  noteKey,
  ofAnotherHistory,
  resourceOfEntry,
  type RootWrite,
  type ViewEntry,
  type ViewStore,
} from '#shared/views/view-store.ts';
import type { BridgeViews } from './views.ts';
import type { Watched, Watcher } from './watch-set.ts';

export interface StoredViewsOptions {
  readonly store: ViewStore;
  readonly seal: Pick<Seal, 'close'>;
  /** Returns the name of a session, different each time. */
  readonly newSession: () => string;
}

export interface StoredViewsParts extends StoredViewsOptions {
  readonly watchSet: readonly Watched[];
  readonly views: BridgeViews;
  readonly clock: WaitingClock;
  readonly logger: { warn(fields: object, message: string): void };
  /** Only the leading bridge writes. */
  readonly leading: () => boolean;
  /** Interval between two renewals of the session, milliseconds. */
  readonly renewMs: number;
}

/** For a child of which only the name is known. Older than any version. */
const noVersion = asResourceVersion('0');
/** Entries per call, so that no call exceeds the deadline of the store. */
const batchLimit = 200;

export class StoredViews {
  readonly #parts: StoredViewsParts;
  readonly #decided: ReadonlySet<string>;
  readonly #children: readonly Resource[];
  /** Resources that functions read as a whole list. */
  readonly #listed: readonly Resource[];
  /** The same, only for functions that decide about the resource with that key. */
  readonly #listedFor: ReadonlyMap<string, readonly Resource[]>;
  #session: string | undefined;
  /** The next session takes the store even if another session holds it. */
  #takesOver = false;
  /** No session begins before the next renewal. */
  #isPaused = false;
  /** The next session begins with another history of the cluster. */
  #isAnotherHistory = false;
  /** A session is just beginning. Concurrent writes wait for it. */
  #beginning: Promise<void> | undefined;
  /** The latest write about each child in this session. */
  readonly #written = new Map<Uid, Kept>();
  /** The same for the objects of lists. */
  readonly #writtenToList = new Map<Uid, Kept>();

  constructor(parts: StoredViewsParts) {
    this.#parts = parts;
    const watchers = parts.watchSet.flatMap((watched) => watched.watchers);
    this.#decided = new Set(
      watchers.flatMap(({ subscription }) => subscription.decides.map(resourceKey)),
    );
    this.#children = childResources(parts.watchSet);
    this.#listed = listedResources(watchers);
    this.#listedFor = new Map(
      [...this.#decided].map((key) => [key, listedResources(watchersOf(watchers, key))]),
    );
  }

  /** Resolves when `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, renewMs } = this.#parts;
    while (!signal.aborted) {
      // If the store cannot be reached, the next write reports it.
      await this.#renew().catch(() => undefined);
      await clock.sleep(renewMs, signal);
    }
    await this.#end();
  }

  /** Earlier writes become void: the next write begins a new session. */
  startOver(isAnotherHistory = false): void {
    this.#session = undefined;
    this.#takesOver = true;
    this.#isPaused = false;
    this.#isAnotherHistory ||= isAnotherHistory;
  }

  /** Await this before a function is woken because of the changes. Throws MR_QUEUE_UNAVAILABLE. */
  async changed({ resource }: Watched, changes: readonly Change[]): Promise<void> {
    if (!(await this.#isWriting())) return;
    const entries = new Map<Uid, ViewEntry[]>();
    for (const change of changes) {
      for (const [root, entry] of this.#entriesOf(resource, change)) {
        const known = entries.get(root);
        if (known === undefined) entries.set(root, [entry]);
        else known.push(entry);
      }
    }
    await this.#write(
      [...entries].map(([root, parts]) => ({ root, isWhole: false, entries: parts })),
    );
  }

  /**
   * For objects that may soon be decided about: writes those that the store lacks, as the views have them now. A
   * caller may hold an older version, and in a new session nothing corrects it.
   */
  async ensure(resource: Resource, objects: readonly KubeObject[]): Promise<void> {
    if (!(await this.#isWriting())) return;
    const view = this.#parts.views.followed(resource);
    const current = objects.flatMap(({ metadata: { namespace = '', name, uid } }) => {
      const object = view.get(namespace, name);
      return object?.metadata.uid === uid ? [object] : [];
    });
    const lists = this.#listedFor.get(resourceKey(resource)) ?? [];
    await this.#write([
      ...lists.map((listed) => ({ root: listRoot(listed), isWhole: false, entries: [] })),
      ...current.map((object) => ({
        root: object.metadata.uid,
        isWhole: false,
        entries: [versionOf(resource, object)],
      })),
    ]);
  }

  async #renew(): Promise<void> {
    const { leading, store } = this.#parts;
    this.#isPaused = false;
    if (!leading()) await this.#end();
    else if (this.#session === undefined) await this.#isWriting();
    else if (!(await store.hold(this.#session, false))) this.#session = undefined;
  }

  /** Whether this bridge holds the store. Begins a session if it may. */
  async #isWriting(): Promise<boolean> {
    if (this.#session !== undefined) return true;
    if (this.#isPaused || !this.#parts.leading()) return false;
    this.#beginning ??= this.#begin().finally(() => (this.#beginning = undefined));
    await this.#beginning;
    return this.#holds;
  }

  get #holds(): boolean {
    return this.#session !== undefined;
  }

  get #isDue(): boolean {
    return this.#takesOver;
  }

  async #begin(): Promise<void> {
    const { store, newSession } = this.#parts;
    const session = this.#isAnotherHistory ? ofAnotherHistory(newSession()) : newSession();
    const takesOver = this.#takesOver;
    this.#takesOver = false;
    try {
      const holds = await store.hold(session, takesOver);
      // startOver was called meanwhile, so the next session has to begin.
      if (this.#isDue) return;
      this.#isPaused = !holds;
      if (!holds) return;
      this.#written.clear();
      this.#writtenToList.clear();
      this.#session = session;
      this.#isAnotherHistory = false;
    } catch (error) {
      await this.#giveUp(undefined, error);
    }
  }

  async #end(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session !== undefined) await this.#parts.store.release(session).catch(() => undefined);
  }

  async #write(writes: readonly RootWrite[]): Promise<void> {
    const session = this.#session;
    const missing = await this.#writeAll(writes, session);
    const parts = new Map(writes.map(({ root, entries }) => [root, entries]));
    const known = missing.filter((root) =>
      this.#partsOf(root).every((part) => this.#isListed(part)),
    );
    const wholes = known.map((root) => this.#whole(root, parts.get(root) ?? []));
    if (wholes.length > 0) await this.#writeAll(wholes, session);
  }

  /** The resources whose objects may belong to this root. */
  #partsOf(root: Uid): readonly Resource[] {
    const list = this.#listed.find((resource) => listRoot(resource) === root);
    return list === undefined ? this.#children : [list];
  }

  #isListed(resource: Resource): boolean {
    const { views } = this.#parts;
    return views.followed(resource).synced || views.scopeOf(resource).isOptional;
  }

  /**
   * Returns the roots that are missing. The writes end with the session for which they were made: a later one lacks
   * what was written meanwhile, and would keep an old root as a whole.
   */
  async #writeAll(
    writes: readonly RootWrite[],
    session: string | undefined,
  ): Promise<readonly Uid[]> {
    const missing: Uid[] = [];
    for (const batch of batches(writes)) {
      if (session === undefined || session !== this.#session) return [];
      try {
        const written = await this.#parts.store.write(session, batch);
        if (!written.isHeld) this.#session = undefined;
        missing.push(...written.missing);
      } catch (error) {
        await this.#giveUp(session, error);
      }
    }
    return missing;
  }

  /** Throws if the session cannot be released either: then the store is away as a whole. */
  async #giveUp(session: string | undefined, error: unknown): Promise<void> {
    // It is unknown whether the batch was written.
    if (this.#session === session) this.#session = undefined;
    this.#takesOver = true;
    await this.#parts.store.release(session);
    this.#takesOver = false;
    this.#isPaused = true;
    this.#parts.logger.warn(
      { err: error },
      'the store takes no views: functions ask the API server',
    );
  }

  *#entriesOf(resource: Resource, change: Change): Iterable<readonly [Uid, ViewEntry]> {
    const { object } = change;
    const { uid, resourceVersion: version } = object.metadata;
    const key = entryKey(resourceKey(resource), uid);
    const isThere = change.type === 'changed';
    if (this.#decided.has(resourceKey(resource))) {
      yield [uid, isThere ? versionOf(resource, object) : { key, version }];
    }
    if (isAmong(this.#listed, resource)) {
      yield* this.#entriesIn(this.#writtenToList, listRoot(resource), resource, change);
    }
    if (isAmong(this.#children, resource)) {
      yield* this.#entriesIn(this.#written, rootOf(object), resource, change);
    }
  }

  *#entriesIn(
    written: Map<Uid, Kept>,
    root: Uid | undefined,
    resource: Resource,
    { type, object }: Change,
  ): Iterable<readonly [Uid, ViewEntry]> {
    const { uid, resourceVersion: version } = object.metadata;
    const key = entryKey(resourceKey(resource), uid);
    const isThere = type === 'changed';
    const former = written.get(uid);
    if (former !== undefined && (!isThere || former.root !== root)) {
      written.delete(uid);
      yield [former.root, { key, version }];
      yield* this.#noteOf(former.root, resource, object);
    } else if (!isThere && root !== undefined) {
      yield [root, { key, version }];
      yield* this.#noteOf(root, resource, object);
    }
    if (!isThere || root === undefined) return;
    const kept = keptOf(root, object);
    // Only parts that the views do not keep have changed.
    if (former?.root === root && former.essence === kept.essence) return;
    yield [root, this.#sealed(written, kept, resource, object)];
  }

  *#noteOf(
    root: Uid,
    resource: Resource,
    { metadata }: KubeObject,
  ): Iterable<readonly [Uid, ViewEntry]> {
    if (controllerOf(metadata)?.uid !== root) return;
    yield [root, this.#note(root, resource, traceOf(metadata), metadata.resourceVersion)];
  }

  #note(root: Uid, resource: Resource, trace: string, version: ResourceVersion): ViewEntry {
    const key = noteKey(resourceKey(resource), trace);
    return { key, version, content: this.#parts.seal.close(trace, placeOf(root, key, version)) };
  }

  #sealed(written: Map<Uid, Kept>, kept: Kept, resource: Resource, object: KubeObject): ViewEntry {
    const { uid, resourceVersion: version } = object.metadata;
    written.set(uid, kept);
    const key = entryKey(resourceKey(resource), uid);
    const place = placeOf(kept.root, key, version);
    return { key, version, content: this.#parts.seal.close(JSON.stringify(object), place) };
  }

  /**
   * The root as the views have it. `parts` adds what no view finds: the root's own entry, including its
   * removal. Without the removal, functions would decide about the removed root and ignore a new object
   * of the same name.
   */
  #whole(root: Uid, parts: readonly ViewEntry[]): RootWrite {
    const list = this.#listed.find((resource) => listRoot(resource) === root);
    if (list !== undefined) return { root, isWhole: true, entries: this.#allOf(list) };
    const entries: ViewEntry[] = [];
    const itself = parts.findLast(({ key }) => isOf(root, key)) ?? this.#itself(root);
    if (itself !== undefined) entries.push(itself);
    for (const resource of this.#children) {
      const view = this.#parts.views.followed(resource);
      for (const object of view.listByRoot(root)) {
        entries.push(this.#sealed(this.#written, keptOf(root, object), resource, object));
      }
      for (const trace of view.removedByOwner(root)) {
        entries.push(this.#note(root, resource, trace, noVersion));
      }
    }
    return { root, isWhole: true, entries };
  }

  #allOf(resource: Resource): readonly ViewEntry[] {
    const root = listRoot(resource);
    return [...this.#parts.views.followed(resource).values()].map((object) =>
      this.#sealed(this.#writtenToList, keptOf(root, object), resource, object),
    );
  }

  /** Views have no index by uid, so this searches. It is called for missing roots only. */
  #itself(root: Uid): ViewEntry | undefined {
    const { views, watchSet } = this.#parts;
    for (const { resource } of watchSet) {
      if (!this.#decided.has(resourceKey(resource))) continue;
      for (const object of views.followed(resource).values()) {
        if (object.metadata.uid === root) return versionOf(resource, object);
      }
    }
    return undefined;
  }
}

interface Kept {
  readonly root: Uid;
  readonly essence: string;
}

/** Hash of all that is kept of an object, except its version. */
function essenceOf({ metadata, ...rest }: KubeObject): string {
  return textHash(JSON.stringify([rest, { ...metadata, resourceVersion: '' }]));
}

/** Resources of which only children are followed: functions read them by their owner. */
export function childResources(
  watchSet: readonly Pick<Watched, 'resource' | 'watchers'>[],
): readonly Resource[] {
  return watchSet
    .filter(({ watchers }) => watchers.some(({ watch }) => watch.only === 'children'))
    .map(({ resource }) => resource);
}

function keptOf(root: Uid, object: KubeObject): Kept {
  return { root, essence: essenceOf(object) };
}

function watchersOf(watchers: readonly Watcher[], decided: string): readonly Watcher[] {
  return watchers.filter(({ subscription }) =>
    subscription.decides.map(resourceKey).includes(decided),
  );
}

function listedResources(watchers: readonly Pick<Watcher, 'watch'>[]): readonly Resource[] {
  const listed = watchers.filter(({ watch }) => watch.isListed).map(({ watch }) => watch.resource);
  return [...new Map(listed.map((resource) => [resourceKey(resource), resource])).values()];
}

function isAmong(resources: readonly Resource[], resource: Resource): boolean {
  return resources.some((each) => resourceKey(each) === resourceKey(resource));
}

function versionOf(resource: Resource, { metadata }: KubeObject): ViewEntry {
  const { uid, resourceVersion: version } = metadata;
  return { key: entryKey(resourceKey(resource), uid), version, content: '' };
}

/** Whether the entry is that of the root itself. */
function isOf(root: Uid, key: string): boolean {
  return key === entryKey(resourceOfEntry(key), root);
}

/** A root is never split: its first part would be taken for the whole. */
function* batches(writes: readonly RootWrite[]): Iterable<readonly RootWrite[]> {
  let batch: RootWrite[] = [];
  let size = 0;
  for (const write of writes) {
    if (size > 0 && size + write.entries.length > batchLimit) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(write);
    size += write.entries.length + 1;
  }
  if (batch.length > 0) yield batch;
}
