/**
 * What the bridge knows of the children of each object, kept where functions that run apart can read it.
 * A root is an object that a function decides about; its entries are the children that carry its uid as
 * their owner label, and the version of the root itself. The whole list of a resource is a root as well.
 * Adapters: Redis, memory.
 *
 * C1 One bridge writes at a time: the one whose session holds the store. What another session wrote is
 *    no view any more.
 * C2 A root is there as a whole or not at all; a reader that finds it missing asks the API server.
 * C3 Of each entry the newest version stays, in whatever order they come; what is gone stays gone.
 * C4 A session that is not prolonged ends by itself, so that nobody goes on believing a bridge that died.
 * C5 A note says that there was a child that left that trace. It needs no session and outlives all of them, as long as
 *    somebody reads or writes the root, and unless a session begins with another history ({@link ofAnotherHistory}).
 */
import { asUid, type Resource, resourceKey } from '#shared/domain/objects.ts';
import type { ResourceVersion, Uid } from '#shared/domain/objects.ts';

export interface ViewEntry {
  /** {@link entryKey} of the object. */
  readonly key: string;
  readonly version: ResourceVersion;
  /** Sealed. Empty: only the version is kept. Undefined: the object is gone, or no child any more. */
  readonly content?: string;
}

export interface RootWrite {
  readonly root: Uid;
  /** These are all there are, to be stored where the root is missing. */
  readonly isWhole: boolean;
  readonly entries: readonly ViewEntry[];
}

export interface Written {
  /** False: another session holds the store, or this one has run out; nothing more was written. */
  readonly isHeld: boolean;
  /** Roots that are missing, of which only the parts were given. */
  readonly missing: readonly Uid[];
}

/** Up to where a root was read. */
export interface ViewPoint {
  /** Names one life of the root in the store. */
  readonly generation: string;
  readonly upTo: number;
}

export interface ViewReading extends ViewPoint {
  /** What was written after this; 0: everything is in `entries`. */
  readonly after: number;
  readonly entries: readonly ViewEntry[];
}

/** All methods throw MR_QUEUE_UNAVAILABLE within a bounded time; what was asked may still be done then. */
export interface ViewStore {
  /**
   * Begins or prolongs the session. Returns whether it holds the store now: not while another one does,
   * unless it `takesOver`.
   */
  hold(session: string, takesOver: boolean): Promise<boolean>;
  /**
   * Ends the session, if it is the one that holds the store, or whichever does when none is given: no root
   * is there any more. Works also where there is no memory left.
   */
  release(session?: string): Promise<void>;
  write(session: string, writes: readonly RootWrite[]): Promise<Written>;
  /** Adds notes, whether or not the root is there; of each key the first one stays. */
  note(root: Uid, notes: readonly ViewEntry[]): Promise<void>;
  /** Its notes, whether or not the root is there. Undefined: they are, or may be, of another history. */
  notes(root: Uid): Promise<readonly ViewEntry[] | undefined>;
  /** What was written to the root after `known`, all of it when that is of another life. Undefined: missing. */
  read(root: Uid, known?: ViewPoint): Promise<ViewReading | undefined>;
  close(): Promise<void>;
}

/** How the name of a session ends that begins with another history. */
export const anotherHistory = '!';

/** The name of a session that begins with another history (etcd restored): notes of former ones mean nothing in it. */
export function ofAnotherHistory(session: string): string {
  return `${session}${anotherHistory}`;
}

export function isOfAnotherHistory(session: string): boolean {
  return session.endsWith(anotherHistory);
}

export interface ViewTimes {
  /** How long a session lasts without being prolonged, milliseconds. */
  readonly sessionMs: number;
  /** How long a root stays that nobody reads or writes, milliseconds. */
  readonly unusedMs: number;
}

export const defaultViewTimes: ViewTimes = { sessionMs: 10_000, unusedMs: 3_600_000 };

/** So many entries that are gone, and more than are there, and the root begins a new life without them. */
export const mostGone = 1_000;

export function entryKey(resourceKey: string, uid: Uid): string {
  return `${resourceKey}/${uid}`;
}

/** Of a child with this trace (trace.ts); a resource does not begin like that. */
export function noteKey(resourceKey: string, trace: string): string {
  return `~${resourceKey}/${trace}`;
}

export function isNote(key: string): boolean {
  return key.startsWith('~');
}

/** The trace that a note names, if that is of this resource. */
export function notedTrace(key: string, resourceKey: string): string | undefined {
  const prefix = noteKey(resourceKey, '');
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

/** The root of the list of all objects of a resource; no object has such a uid. */
export function listRoot(resource: Resource): Uid {
  return asUid(`*/${resourceKey(resource)}`);
}

export function resourceOfEntry(key: string): string {
  return key.slice(0, key.indexOf('/'));
}
