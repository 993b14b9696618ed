/** A copy of the roots that this process read last, so that only what is new is read again. */
import type { KubeObject, Uid } from '#shared/domain/objects.ts';
import type { ResourceVersion } from '#shared/domain/objects.ts';
import { placeOf, type Seal } from './seal.ts';
import {
  isNote,
  type ViewEntry,
  type ViewPoint,
  type ViewReading,
  type ViewStore,
} from './view-store.ts';

/** A root with its entries. Immutable. */
export interface MirroredRoot extends ViewPoint {
  /** By entry key. A deleted object is in neither of these two maps. */
  readonly versions: ReadonlyMap<string, ResourceVersion>;
  readonly objects: ReadonlyMap<string, KubeObject>;
  /** Entry keys of deleted objects that the views still remember. */
  readonly gone: ReadonlySet<string>;
  /** Keys of notes. */
  readonly noted: ReadonlySet<string>;
}

export interface MirrorOptions {
  readonly store: Pick<ViewStore, 'read' | 'notes'>;
  readonly seal: Pick<Seal, 'open'>;
  /** Most entries of all roots together. Beyond it the least recently read roots are dropped. */
  readonly maxEntries?: number;
}

const defaultMaxEntries = 20_000;

/** An entry was written without one of Millrace's keys: the views cannot be trusted. */
export class UnprovenView extends Error {
  constructor(root: Uid, key: string) {
    super(`the entry ${key} of the view of ${root} is not sealed with a key of this process`);
  }
}

export class Mirror {
  readonly #options: MirrorOptions;
  /** Oldest first. */
  readonly #roots = new Map<Uid, MirroredRoot>();
  #entries = 0;

  constructor(options: MirrorOptions) {
    this.#options = options;
  }

  /** The last read state, if any. */
  known(root: Uid): MirroredRoot | undefined {
    return this.#roots.get(root);
  }

  /** Undefined: the root is missing. Throws MR_QUEUE_UNAVAILABLE and {@link UnprovenView}. */
  async read(root: Uid): Promise<MirroredRoot | undefined> {
    const before = this.#roots.get(root);
    const reading = await this.#options.store.read(root, before);
    // Another read may have finished meanwhile; this one continues from its own starting point.
    const next = reading === undefined ? undefined : this.#following(root, before, reading);
    this.#keep(root, next);
    return next;
  }

  /** Keys of the notes of a missing root. Undefined: unknown. Throws as `read`. */
  async notes(root: Uid): Promise<ReadonlySet<string> | undefined> {
    const notes = await this.#options.store.notes(root);
    for (const note of notes ?? []) this.#opened(root, note, note.content ?? '');
    return notes && new Set(notes.map(({ key }) => key));
  }

  #following(root: Uid, before: MirroredRoot | undefined, reading: ViewReading): MirroredRoot {
    const { generation, upTo, after, entries } = reading;
    if (after > 0 && entries.length === 0 && before !== undefined) return before;
    const base = after > 0 ? before : undefined;
    const versions = new Map(base?.versions);
    const objects = new Map(base?.objects);
    const gone = new Set(base?.gone);
    const noted = new Set(base?.noted);
    for (const entry of entries) {
      if (isNote(entry.key)) {
        this.#opened(root, entry, entry.content ?? '');
        noted.add(entry.key);
        continue;
      }
      versions.delete(entry.key);
      objects.delete(entry.key);
      gone.delete(entry.key);
      if (entry.content === undefined) {
        gone.add(entry.key);
        continue;
      }
      versions.set(entry.key, entry.version);
      if (entry.content !== '') {
        const text = this.#opened(root, entry, entry.content);
        objects.set(entry.key, JSON.parse(text) as KubeObject);
      }
    }
    return { generation, upTo, versions, objects, gone, noted };
  }

  #opened(root: Uid, { key, version }: ViewEntry, content: string): string {
    const text = this.#options.seal.open(content, placeOf(root, key, version));
    if (text === undefined) throw new UnprovenView(root, key);
    return text;
  }

  #keep(root: Uid, next: MirroredRoot | undefined): void {
    this.#entries -= this.#roots.get(root)?.versions.size ?? 0;
    this.#roots.delete(root);
    if (next === undefined) return;
    this.#roots.set(root, next);
    this.#entries += next.versions.size;
    const { maxEntries = defaultMaxEntries } = this.#options;
    for (const [oldest, { versions }] of this.#roots) {
      if (this.#entries <= maxEntries || oldest === root) break;
      this.#roots.delete(oldest);
      this.#entries -= versions.size;
    }
  }
}
