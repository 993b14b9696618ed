/**
 * Notes of the children that a process has created, for the next decision. If a child is gone before the owner's
 * status records it, its trace shows that it existed.
 *
 * own-note-1 A note is written before the answer to the create is passed on, so before the run ends that asked for it.
 * own-note-2 A note that was not stored is written at the next occasion. Until then the owner's notes are incomplete,
 *    and its status has to record everything at once.
 */
import { type KubeObject, type Resource, resourceKey, type Uid } from '#shared/domain/objects.ts';
import { traceOf } from '#shared/domain/trace.ts';
import { placeOf, type Seal } from './seal.ts';
import { noteKey, type ViewEntry, type ViewStore } from './view-store.ts';

export interface OwnNotesOptions {
  readonly store: Pick<ViewStore, 'note'>;
  readonly seal: Pick<Seal, 'close'>;
  /** False: the store was unavailable a moment ago. */
  readonly isReachable: () => boolean;
  readonly onFailure: (error: unknown) => void;
}

/** Most owners whose unstored notes are kept. Of older ones only the incompleteness is remembered. */
const mostOwed = 10_000;

export class OwnNotes {
  readonly #options: OwnNotesOptions;
  /** Notes that are not stored yet, by owner and key. */
  readonly #owed = new Map<Uid, Map<string, ViewEntry>>();
  /** Owners whose unstored notes were dropped. */
  readonly #neverWhole = new Set<Uid>();
  readonly #underWay = new Map<Uid, Promise<void>>();
  /** Notes that arrive during a write go together in the next one. */
  readonly #next = new Map<Uid, Promise<void>>();

  constructor(options: OwnNotesOptions) {
    this.#options = options;
  }

  /** Whether all notes about children of this owner are stored. */
  isWhole(owner: Uid): boolean {
    return !this.#owed.has(owner) && !this.#neverWhole.has(owner);
  }

  /** Never rejects. */
  async add(owner: Uid, resource: Resource, { metadata }: KubeObject): Promise<void> {
    const { resourceVersion: version } = metadata;
    const trace = traceOf(metadata);
    const key = noteKey(resourceKey(resource), trace);
    const content = this.#options.seal.close(trace, placeOf(owner, key, version));
    const owed = this.#owed.get(owner) ?? new Map<string, ViewEntry>();
    this.#owed.set(owner, owed.set(key, { key, version, content }));
    this.#giveUpOldest();
    await this.flush(owner);
  }

  /** Writes the unstored notes. Never rejects. */
  async flush(owner: Uid): Promise<void> {
    const underWay = this.#underWay.get(owner);
    if (underWay === undefined) return this.#begin(owner);
    const next = this.#next.get(owner) ?? underWay.then(() => this.#goOn(owner));
    this.#next.set(owner, next);
    return next;
  }

  #giveUpOldest(): void {
    if (this.#owed.size <= mostOwed) return;
    const [oldest] = this.#owed.keys();
    if (oldest === undefined) return;
    this.#owed.delete(oldest);
    this.#neverWhole.add(oldest);
  }

  #goOn(owner: Uid): Promise<void> {
    this.#next.delete(owner);
    return this.#begin(owner);
  }

  async #begin(owner: Uid): Promise<void> {
    const owed = this.#owed.get(owner);
    if (owed === undefined || !this.#options.isReachable()) return;
    const sending = this.#send(owner, [...owed.values()]).finally(() =>
      this.#underWay.delete(owner),
    );
    this.#underWay.set(owner, sending);
    await sending;
  }

  async #send(owner: Uid, notes: readonly ViewEntry[]): Promise<void> {
    try {
      await this.#options.store.note(owner, notes);
      const owed = this.#owed.get(owner);
      for (const { key } of notes) owed?.delete(key);
      if (owed?.size === 0) this.#owed.delete(owner);
    } catch (error) {
      this.#options.onFailure(error);
    }
  }
}
