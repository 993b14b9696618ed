/**
 * The reads of a function that runs apart. Children come from the views that the bridge keeps. The decided object
 * comes from the last answer of the API server, as long as the views show it unchanged. Missing objects come from
 * the API server, and so does everything while the views are unreadable.
 *
 * The bridge writes a change to the views before it enqueues work for it, so the function reads at least that
 * change. Otherwise a view may be late, as any (laws 2 and 3).
 */
import type { KindName } from '#shared/domain/kind-name.ts';
import type { MonotonicClock } from '#shared/domain/clock.ts';
import {
  controllerOf,
  type KubeObject,
  type ObjectName,
  objectName,
  type Resource,
  resourceKey,
  type Uid,
} from '#shared/domain/objects.ts';
import type { WriteView } from '#shared/kube/object-view.ts';
import { mostRecent } from '#shared/kube/api-reader.ts';
import type { OnceThere, Reader } from '#shared/kube/reader.ts';
import { isKnownBy, isNewer } from '#shared/domain/resource-version.ts';
import type { Views } from '#shared/kube/view-reader.ts';
import { traceOf } from '#shared/domain/trace.ts';
import { rootOf } from '#shared/domain/root-of.ts';
import { Mirror, type MirroredRoot, type MirrorOptions } from './mirror.ts';
import { type Moment, MomentReader, type MomentSource, type Seen } from './moment-reader.ts';
import { OwnChildren } from './own-children.ts';
import { OwnEchoes } from './own-echoes.ts';
import { OwnNotes } from './own-notes.ts';
import type { Seal } from './seal.ts';
import { entryKey, listRoot, notedTrace, resourceOfEntry, type ViewStore } from './view-store.ts';

export interface StoredViewReaderOptions extends MirrorOptions {
  readonly store: Pick<ViewStore, 'read' | 'note' | 'notes'>;
  readonly seal: Pick<Seal, 'open' | 'close'>;
  /** The API server. */
  readonly server: Reader;
  /** The resources that are decided about. Each of their objects is a root. */
  readonly decides: readonly Resource[];
  /** The resources whose views the bridge keeps, and what it keeps of each object. */
  readonly children: readonly KeptChild[];
  /** Resources whose whole list it keeps. */
  readonly listed: readonly Resource[];
  readonly clock: MonotonicClock;
  /** Called when the views are unreadable, for the log. */
  readonly onFailure: (error: unknown) => void;
}

export interface KeptChild {
  readonly resource: Resource;
  readonly keep: (object: KubeObject) => KubeObject;
}

/** The views are not read for this time after a failure, in milliseconds. */
const pauseMs = 1_000;
/**
 * Longest time without a request to the API server, in milliseconds. Its answers give the process the cluster's
 * time (cluster-clock.ts).
 */
const silentMs = 5_000;
/** Most objects whose decisions rely on notes of their children. */
const mostNoted = 10_000;
/** Most decided objects that are remembered as last seen. */
const mostRemembered = 200;

interface Remembered {
  readonly object: KubeObject;
  /** The life of its root in the views. Versions of different lives may be of different histories. */
  readonly generation: string | undefined;
}

export class StoredViewReader implements MomentSource {
  readonly #options: StoredViewReaderOptions;
  readonly #mirror: Mirror;
  readonly #decided: ReadonlySet<string>;
  readonly #keeps: ReadonlyMap<string, KeptChild['keep']>;
  readonly #own: OwnChildren;
  readonly #echoes = new OwnEchoes();
  readonly #notes: OwnNotes;
  /** Objects whose last decision was given removed children: their status may record new children later. */
  readonly #reliesOnNotes = new Set<Uid>();
  readonly #remembered = new Map<string, Remembered>();
  readonly #servedAtMs = new WeakMap<KubeObject, number>();
  #pausedUntilMs = -Infinity;
  #heardAtMs = -Infinity;

  constructor(options: StoredViewReaderOptions) {
    this.#options = options;
    this.#mirror = new Mirror(options);
    this.#decided = new Set(options.decides.map(resourceKey));
    this.#keeps = new Map(
      options.children.map(({ resource, keep }) => [resourceKey(resource), keep]),
    );
    this.#own = new OwnChildren(options.clock);
    this.#notes = new OwnNotes({
      ...options,
      isReachable: () => !this.#isPaused,
      onFailure: (error) => this.#pause(error),
    });
  }

  /** Takes own writes of decided objects and their children, so that they need not be read back. */
  get written(): Views<WriteView> {
    return {
      of: (resource) =>
        this.#isDecidedAbout(resource) ? this.#ownOf(resource) : this.#ownChildrenOf(resource),
    };
  }

  #ownOf(resource: Resource): WriteView {
    return {
      write: (object, committedAfterMs) => {
        this.#await(object.metadata.uid, resourceKey(resource), object, committedAfterMs);
        this.#remember(resource, object);
      },
      refresh: (object) => this.#remember(resource, object),
      forget: (namespace, name) =>
        void this.#remembered.delete(keyOf(resource, { namespace, name })),
    };
  }

  #isDecidedAbout(resource: Resource): boolean {
    return this.#decided.has(resourceKey(resource));
  }

  #ownChildrenOf(resource: Resource): WriteView | undefined {
    const key = resourceKey(resource);
    const keep = this.#keeps.get(key);
    if (keep === undefined) return undefined;
    const refresh = (object: KubeObject, committedAfterMs?: number): void => {
      const root = rootOf(object);
      const generation = root === undefined ? undefined : this.#mirror.known(root)?.generation;
      if (root === undefined || generation === undefined) return;
      this.#await(root, key, object, committedAfterMs);
      this.#own.write(root, entryKey(key, object.metadata.uid), keep(object), generation);
    };
    const write: WriteView['write'] = (object, committedAfterMs) => {
      refresh(object, committedAfterMs);
      const owner = controllerOf(object.metadata)?.uid;
      if (owner === undefined || !this.#reliesOnNotes.has(owner)) return undefined;
      return this.#notes.add(owner, resource, object);
    };
    const forget: WriteView['forget'] = (namespace, name, uid) =>
      this.#own.forget({ namespace, name }, uid);
    return { write, refresh, forget };
  }

  /** Views that show this own write show everything committed before it was sent. */
  #await(
    root: Uid,
    resource: string,
    { metadata }: KubeObject,
    sentAtMs: number | undefined,
  ): void {
    const generation = this.#mirror.known(root)?.generation;
    if (sentAtMs === undefined || generation === undefined) return;
    const { uid, resourceVersion: version } = metadata;
    const key = entryKey(resource, uid);
    this.#echoes.await(root, { resource, entryKey: key, version, sentAtMs, generation });
  }

  async ofOneMoment(root: Uid): Promise<Reader> {
    return new MomentReader(this, { uid: root, seen: await this.#see(root), isPast: false });
  }

  /**
   * Reads the current state from the API server, after the views were found to be behind. Only the views know about
   * earlier objects.
   */
  get mostRecent(): Reader {
    const server = mostRecent(this.#options.server);
    const ofOneMoment = async (root: Uid): Promise<Reader> => {
      const seen = await this.#see(root);
      const onceThere: Reader['onceThere'] = (resource, owner) => {
        const noted = owner === root ? this.#notedTraces(resource, owner, seen) : undefined;
        if (noted === undefined) return undefined;
        return { traces: [...noted, ...this.#tracesInSight(resource, owner, seen)], isWhole: true };
      };
      return { ...server, onceThere };
    };
    return { ...server, ofOneMoment };
  }

  shownAsOfMs(resource: Resource, { uid, seen: { root } }: Moment): number {
    if (root === undefined) return -Infinity;
    return this.#echoes.currentAsOfMs(uid, root, resourceKey(resource));
  }

  async get(
    resource: Resource,
    name: ObjectName,
    controller?: Uid,
    asOf?: 'now',
    moment?: Moment,
  ): Promise<KubeObject | undefined> {
    const isEnough = asOf === undefined;
    const known = isEnough ? await this.#known(resource, name, controller, moment) : undefined;
    if (known !== undefined) return known;
    const { clock, server } = this.#options;
    const askedAtMs = clock.monotonicMs();
    const object = await server.get(resource, name, controller);
    this.#heardAtMs = clock.monotonicMs();
    const isDecidedAbout = this.#isDecidedAbout(resource);
    // Children that it began may be missing from what the views showed before.
    if (isDecidedAbout && moment !== undefined) moment.isPast = true;
    if (object === undefined) {
      if (isDecidedAbout) this.#remembered.delete(keyOf(resource, name));
      return undefined;
    }
    this.#servedAtMs.set(object, askedAtMs);
    if (isDecidedAbout) this.#remember(resource, object);
    return object;
  }

  async list(resource: Resource, asOf?: 'now'): Promise<readonly KubeObject[]> {
    const { listed, server } = this.#options;
    const isKept = listed.some((each) => resourceKey(each) === resourceKey(resource));
    const isEnough = isKept && asOf === undefined;
    const root = isEnough ? await this.#read(listRoot(resource)) : undefined;
    return root === undefined ? server.list(resource, asOf) : [...root.objects.values()];
  }

  async listByOwner(
    resource: Resource,
    owner: { readonly namespace: string; readonly uid: Uid },
    now?: { readonly fieldSelector: string },
    moment?: Moment,
  ): Promise<readonly KubeObject[]> {
    const root = now === undefined ? await this.#rootOf(resource, owner.uid, moment) : undefined;
    if (root === undefined) return this.#options.server.listByOwner(resource, owner, now);
    return childrenIn(this.#own.in(owner.uid, root), resource, [owner.uid]);
  }

  async listByOwners(
    resource: Resource,
    owner: { readonly namespace: string; readonly uid: Uid },
    controllers: readonly Uid[],
    moment?: Moment,
  ): Promise<readonly KubeObject[]> {
    const root = await this.#rootOf(resource, owner.uid, moment);
    if (root === undefined) {
      return this.#options.server.listByOwners(resource, owner, controllers);
    }
    return childrenIn(this.#own.in(owner.uid, root), resource, controllers);
  }

  async listByRoot(
    resource: Resource,
    owner: { readonly namespace: string; readonly uid: Uid },
    moment?: Moment,
  ): Promise<readonly KubeObject[]> {
    const root = await this.#rootOf(resource, owner.uid, moment);
    if (root === undefined) return (await this.#options.server.listByRoot?.(resource, owner)) ?? [];
    const key = resourceKey(resource);
    const all = [...this.#own.in(owner.uid, root)];
    return all.flatMap(([entry, object]) => (resourceOfEntry(entry) === key ? [object] : []));
  }

  async resourceOf(kind: KindName): Promise<Resource | undefined> {
    return this.#options.server.resourceOf?.(kind);
  }

  async eventsAbout(
    ...asked: Parameters<NonNullable<Reader['eventsAbout']>>
  ): Promise<readonly KubeObject[]> {
    return (await this.#options.server.eventsAbout?.(...asked)) ?? [];
  }

  outOfSight(resource: Resource, owner: Uid, { seen }: Moment): OnceThere | undefined {
    const noted = this.#notedTraces(resource, owner, seen);
    if (noted === undefined || noted.length === 0) return noted && { traces: noted, isWhole: true };
    const inSight = new Set(this.#tracesInSight(resource, owner, seen));
    return { traces: noted.filter((trace) => !inSight.has(trace)), isWhole: true };
  }

  /** The decision relies on these notes, so its creates are noted too. */
  #notedTraces(resource: Resource, owner: Uid, { noted }: Seen): readonly string[] | undefined {
    this.#reliesOnNotes.delete(owner);
    if (noted === undefined) return undefined;
    this.#reliesOnNotes.add(owner);
    if (this.#reliesOnNotes.size > mostNoted) {
      const [oldest] = this.#reliesOnNotes;
      if (oldest !== undefined) this.#reliesOnNotes.delete(oldest);
    }
    const key = resourceKey(resource);
    return [...noted].flatMap((note) => notedTrace(note, key) ?? []);
  }

  #tracesInSight(resource: Resource, owner: Uid, { root }: Seen): readonly string[] {
    if (root === undefined) return [];
    const children = childrenIn(this.#own.in(owner, root), resource, [owner]);
    return children.map(({ metadata }) => traceOf(metadata));
  }

  servedAtMs(object: KubeObject): number | undefined {
    return this.#servedAtMs.get(object);
  }

  /** Answers without the API server. Undefined: only the API server can answer. */
  async #known(
    resource: Resource,
    name: ObjectName,
    controller: Uid | undefined,
    moment: Moment | undefined,
  ): Promise<KubeObject | undefined> {
    if (controller !== undefined) return this.#knownChild(resource, name, controller);
    const key = keyOf(resource, name);
    // Only decided objects are remembered.
    const first = this.#remembered.get(key)?.object.metadata.uid;
    if (first === undefined) return undefined;
    if (this.#options.clock.monotonicMs() - this.#heardAtMs > silentMs) return undefined;
    const root = await this.#read(first, moment);
    // Another run may have written it meanwhile, which the view that was read did not know of.
    const remembered = this.#remembered.get(key);
    if (remembered === undefined || root === undefined) return undefined;
    const { object, generation } = remembered;
    const { uid, resourceVersion } = object.metadata;
    const version = root.versions.get(entryKey(resourceKey(resource), uid));
    if (version === undefined) return undefined;
    const isLatest =
      generation === root.generation
        ? isKnownBy(version, resourceVersion)
        : generation === undefined && version === resourceVersion;
    if (isLatest) this.#remember(resource, object);
    return isLatest ? object : undefined;
  }

  #knownChild(resource: Resource, { namespace, name }: ObjectName, controller: Uid) {
    const root = this.#mirror.known(controller);
    if (root === undefined) return undefined;
    return childrenIn(this.#own.in(controller, root), resource, [controller]).find(
      ({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace,
    );
  }

  async #rootOf(
    resource: Resource,
    uid: Uid,
    moment: Moment | undefined,
  ): Promise<MirroredRoot | undefined> {
    return this.#keeps.has(resourceKey(resource)) ? this.#read(uid, moment) : undefined;
  }

  async #read(uid: Uid, moment?: Moment): Promise<MirroredRoot | undefined> {
    if (moment?.uid !== uid) return this.#unlessAway(uid, () => this.#mirror.read(uid));
    if (moment.isPast) {
      moment.seen = await this.#see(uid);
      moment.isPast = false;
    }
    return moment.seen.root;
  }

  /** Notes outlive the session of a bridge and show what its successor never saw. */
  async #see(uid: Uid): Promise<Seen> {
    const nothing = { root: undefined, noted: undefined };
    const seen = await this.#unlessAway(uid, async () => {
      const root = await this.#mirror.read(uid);
      return { root, noted: root?.noted ?? (await this.#mirror.notes(uid)) };
    });
    return seen ?? nothing;
  }

  async #unlessAway<Read>(uid: Uid, read: () => Promise<Read>): Promise<Read | undefined> {
    // If this fails, nothing is read for a while either, and the status records everything at once.
    if (!this.#notes.isWhole(uid)) await this.#notes.flush(uid);
    if (this.#isPaused) return undefined;
    try {
      return await read();
    } catch (error) {
      this.#pause(error);
      return undefined;
    }
  }

  get #isPaused(): boolean {
    return this.#options.clock.monotonicMs() < this.#pausedUntilMs;
  }

  #pause(error: unknown): void {
    this.#pausedUntilMs = this.#options.clock.monotonicMs() + pauseMs;
    this.#options.onFailure(error);
  }

  #remember(resource: Resource, object: KubeObject): void {
    const key = keyOf(resource, objectName(object.metadata));
    const { uid, resourceVersion } = object.metadata;
    const generation = this.#mirror.known(uid)?.generation;
    const known = this.#remembered.get(key);
    const isOlder =
      known?.generation === generation &&
      known?.object.metadata.uid === uid &&
      isNewer(known.object.metadata.resourceVersion, resourceVersion);
    if (isOlder) return;
    this.#remembered.delete(key);
    this.#remembered.set(key, { object, generation });
    if (this.#remembered.size <= mostRemembered) return;
    const [oldest = ''] = this.#remembered.keys();
    this.#remembered.delete(oldest);
  }
}

/** Any user may set a label; the controller reference decides. */
function childrenIn(
  objects: MirroredRoot['objects'],
  resource: Resource,
  controllers: readonly Uid[],
): readonly KubeObject[] {
  const wanted: ReadonlySet<Uid | undefined> = new Set(controllers);
  const kind = resourceKey(resource);
  const found: KubeObject[] = [];
  for (const [key, object] of objects) {
    if (resourceOfEntry(key) !== kind) continue;
    if (wanted.has(controllerOf(object.metadata)?.uid)) found.push(object);
  }
  return found;
}

function keyOf(resource: Resource, { namespace, name }: ObjectName): string {
  return `${resourceKey(resource)} ${namespace}/${name}`;
}
