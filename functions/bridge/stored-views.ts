/**
 * Keeps what the bridge knows of the children of each object in a store, for functions that run apart.
 *
 * K1 A change is written before anybody is woken because of it.
 * K2 Whose changes went by unwritten (the store was away, another bridge held it, its data is lost) has no
 *    views: it begins a new session, under which every root is missing until it is written as a whole.
 * K3 A store that takes no views (it has no memory left) holds nothing up: the views end, the work goes on.
 * K4 A child that is gone leaves a note of its name, written with its end: who decides next may find it neither
 *    among the children nor on record.
 * K5 A root is written as a whole once all that may belong to it has been listed: what came without a child that is
 *    there would say that it is gone.
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
  /** Names a session; never the same twice. */
  readonly newSession: () => string;
}

export interface StoredViewsParts extends StoredViewsOptions {
  readonly watchSet: readonly Watched[];
  readonly views: BridgeViews;
  readonly clock: WaitingClock;
  readonly logger: { warn(fields: object, message: string): void };
  /** Only the bridge that leads writes. */
  readonly leading: () => boolean;
  /** Between two prolongations of the session, milliseconds. */
  readonly renewMs: number;
}

/** Of a child of which nothing but its name is known; older than any. */
const noVersion = asResourceVersion('0');
/** Entries per call, so that no call outgrows the deadline of the store. */
const batchLimit = 200;

export class StoredViews {
  readonly #parts: StoredViewsParts;
  readonly #decided: ReadonlySet<string>;
  readonly #children: readonly Resource[];
  /** Of which functions read the whole list. */
  readonly #listed: readonly Resource[];
  /** The same, of what decides about the resource with that key. */
  readonly #listedFor: ReadonlyMap<string, readonly Resource[]>;
  #session: string | undefined;
  /** Another session may hold the store until then, and is not waited for. */
  #takesOver = false;
  /** Not before the next renewal. */
  #isPaused = false;
  /** The next session begins with another history. */
  #isAnotherHistory = false;
  /** A session is being begun: those who want to write meanwhile wait for that one. */
  #beginning: Promise<void> | undefined;
  /** Of each child what was written in this session. */
  readonly #written = new Map<Uid, Kept>();
  /** The same of each object of a list. */
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

  /** Ends when `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, renewMs } = this.#parts;
    while (!signal.aborted) {
      // What is written next tells when the store did not hear of it.
      await this.#renew().catch(() => undefined);
      await clock.sleep(renewMs, signal);
    }
    await this.#end();
  }

  /** What was written before is not what there is: the next write begins a new session. */
  startOver(isAnotherHistory = false): void {
    this.#session = undefined;
    this.#takesOver = true;
    this.#isPaused = false;
    this.#isAnotherHistory ||= isAnotherHistory;
  }

  /** To be awaited before anybody is woken because of them. Throws MR_QUEUE_UNAVAILABLE. */
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

  /** Of objects that are decided about and may soon be: writes down those that are missing. */
  async ensure(resource: Resource, objects: readonly KubeObject[]): Promise<void> {
    if (!(await this.#isWriting())) return;
    const lists = this.#listedFor.get(resourceKey(resource)) ?? [];
    await this.#write([
      ...lists.map((listed) => ({ root: listRoot(listed), isWhole: false, entries: [] })),
      ...objects.map((object) => ({
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

  /** Whether this bridge holds the store; begins a session where it may. */
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
      // Had it to start over meanwhile, the next one begins.
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
    const missing = await this.#writeAll(writes);
    const parts = new Map(writes.map(({ root, entries }) => [root, entries]));
    const known = missing.filter((root) =>
      this.#partsOf(root).every((part) => this.#isListed(part)),
    );
    const wholes = known.map((root) => this.#whole(root, parts.get(root) ?? []));
    if (wholes.length > 0) await this.#writeAll(wholes);
  }

  /** The resources of what belongs to a root. */
  #partsOf(root: Uid): readonly Resource[] {
    const list = this.#listed.find((resource) => listRoot(resource) === root);
    return list === undefined ? this.#children : [list];
  }

  #isListed(resource: Resource): boolean {
    const { views } = this.#parts;
    return views.followed(resource).synced || views.scopeOf(resource).isOptional;
  }

  /** Returns the roots that are missing. */
  async #writeAll(writes: readonly RootWrite[]): Promise<readonly Uid[]> {
    const missing: Uid[] = [];
    for (const batch of batches(writes)) {
      const session = this.#session;
      if (session === undefined) return [];
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

  /** Throws when the store cannot be written either: then it is away, and so is all that is kept there. */
  async #giveUp(session: string | undefined, error: unknown): Promise<void> {
    // Whether it was written nobody knows.
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
    // What nobody keeps of it has changed.
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
   * As the views have it; `parts` tell of the root itself what they do not lead to, its end as well: taken for
   * one that is still there it would be decided about, and nothing about its successor of the same name.
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

  /** Nothing leads from a uid to its object: this is asked for roots that are missing only. */
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

/** Of all that is kept of an object, its version apart. */
function essenceOf({ metadata, ...rest }: KubeObject): string {
  return textHash(JSON.stringify([rest, { ...metadata, resourceVersion: '' }]));
}

/** Resources of which only children are looked at: those that functions read by their owner. */
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

/** Whether the entry is of the root itself. */
function isOf(root: Uid, key: string): boolean {
  return key === entryKey(resourceOfEntry(key), root);
}

/** A root is never divided: its first part would be taken for the whole. */
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
