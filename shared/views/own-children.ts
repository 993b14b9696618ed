/**
 * A process's own writes and deletes of children, until the views show them. So it need not ask the API
 * server for what it has just created.
 *
 * own-children-1 An own write counts only in the life of the root in which it was written, because its version compares
 *    only there.
 * own-children-2 An object that the views report as gone is gone.
 * own-children-3 An object that this process removed does not come back because a view is behind.
 * own-children-4 A name has one object: of two, the older one is gone.
 * own-children-5 An own write counts for a moment only: a removal before the bridge has seen the object is never
 *    reported.
 */
import type { MonotonicClock } from '#shared/domain/clock.ts';
import { type KubeObject, type ObjectName, objectName, type Uid } from '#shared/domain/objects.ts';
import { isNewer } from '#shared/domain/resource-version.ts';
import type { MirroredRoot } from './mirror.ts';
import { resourceOfEntry } from './view-store.ts';

interface Written {
  readonly object: KubeObject;
  readonly generation: string;
  readonly atMs: number;
}

const momentMs = 2_000;

function nameOf(key: string, { metadata: { namespace = '', name } }: KubeObject): string {
  return `${resourceOfEntry(key)}/${namespace}/${name}`;
}

export class OwnChildren {
  readonly #clock: MonotonicClock;
  /** By root and entry key. Roots are in the order of their last write. */
  readonly #written = new Map<Uid, Map<string, Written>>();
  /** When each root was last written to. */
  readonly #writtenAtMs = new Map<Uid, number>();
  /** When each was removed, oldest first. */
  readonly #removed = new Map<Uid, number>();

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  /** `generation`: the life of the root that this process knows. */
  write(root: Uid, key: string, object: KubeObject, generation: string): void {
    this.#forgetOld();
    const known = this.#written.get(root) ?? new Map<string, Written>();
    this.#written.delete(root);
    this.#written.set(root, known);
    const atMs = this.#clock.monotonicMs();
    this.#writtenAtMs.set(root, atMs);
    known.set(key, { object, generation, atMs });
  }

  forget({ namespace, name }: ObjectName, uid: Uid | undefined): void {
    this.#forgetOld();
    if (uid !== undefined) {
      this.#removed.delete(uid);
      this.#removed.set(uid, this.#clock.monotonicMs());
    }
    for (const known of this.#written.values()) {
      for (const [key, { object }] of known) {
        const its = objectName(object.metadata);
        if (its.namespace === namespace && its.name === name) known.delete(key);
      }
    }
  }

  /** The root's children as the views show them, with own writes since then. */
  in(uid: Uid, root: MirroredRoot): ReadonlyMap<string, KubeObject> {
    const known = this.#written.get(uid) ?? new Map<string, Written>();
    if (known.size === 0 && this.#removed.size === 0) return root.objects;
    const nowMs = this.#clock.monotonicMs();
    const own = new Map<string, KubeObject>();
    for (const [key, { object, generation, atMs }] of known) {
      const seen = root.versions.get(key);
      const isKnown = seen !== undefined && !isNewer(object.metadata.resourceVersion, seen);
      const isOver = generation !== root.generation || root.gone.has(key) || isKnown;
      if (isOver || nowMs - atMs > momentMs) known.delete(key);
      else own.set(key, object);
    }
    if (known.size === 0) this.#drop(uid);
    const byName = new Map([...own].map(([key, object]) => [nameOf(key, object), key]));
    const merged = new Map<string, KubeObject>();
    for (const [key, object] of root.objects) {
      if (this.#isRemoved(object.metadata.uid, nowMs)) continue;
      const rivalKey = byName.get(nameOf(key, object)) ?? key;
      const rival = rivalKey === key ? undefined : own.get(rivalKey);
      if (rival !== undefined) {
        const { resourceVersion } = object.metadata;
        if (!isNewer(resourceVersion, rival.metadata.resourceVersion)) continue;
        own.delete(rivalKey);
      }
      merged.set(key, object);
    }
    for (const [key, object] of own) merged.set(key, object);
    return merged;
  }

  #isRemoved(uid: Uid, nowMs: number): boolean {
    const atMs = this.#removed.get(uid);
    return atMs !== undefined && nowMs - atMs <= momentMs;
  }

  /** Drops roots that are no longer read. */
  #forgetOld(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const uid of this.#removed.keys()) {
      if (this.#isRemoved(uid, nowMs)) break;
      this.#removed.delete(uid);
    }
    for (const root of this.#written.keys()) {
      if (nowMs - (this.#writtenAtMs.get(root) ?? -Infinity) <= momentMs) return;
      this.#drop(root);
    }
  }

  #drop(root: Uid): void {
    this.#written.delete(root);
    this.#writtenAtMs.delete(root);
  }
}
