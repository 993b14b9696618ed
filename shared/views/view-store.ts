/**
 * The children of each object as the bridge knows them, stored for functions that run apart. A root is an object that
 * a function decides about. Its entries are the version of the root itself, and the children with its uid as owner
 * label. The whole list of a resource is a root as well. Adapters: Redis, memory.
 *
 * view-store-1 One bridge writes at a time: the one whose session holds the store. Content of another session is not
 *    used.
 * view-store-2 A root is either whole or missing. A reader that finds it missing asks the API server.
 * view-store-3 The newest version of each entry stays, in whatever order they come. A deleted object stays deleted.
 * view-store-4 A session that is not prolonged ends by itself, so that readers stop trusting the views of a dead
 *    bridge.
 * view-store-5 A note says that a child with this trace existed. It needs no session and outlives all of them while the
 *    root is read or written. It ends if a session begins with another history ({@link ofAnotherHistory}).
 */
import { asUid, type Resource, resourceKey } from '#shared/domain/objects.ts';
import type { ResourceVersion, Uid } from '#shared/domain/objects.ts';

export interface ViewEntry {
  /** {@link entryKey} of the object. */
  readonly key: string;
  readonly version: ResourceVersion;
  /** Sealed. Empty: only the version is kept. Undefined: the object is gone, or is no longer a child. */
  readonly content?: string;
}

export interface RootWrite {
  readonly root: Uid;
  /** The entries are complete and create a missing root. */
  readonly isWhole: boolean;
  readonly entries: readonly ViewEntry[];
}

export interface Written {
  /** False: another session holds the store, or this one has expired. Nothing more was written. */
  readonly isHeld: boolean;
  /** Missing roots, for which only a part was given. */
  readonly missing: readonly Uid[];
}

/** The point up to which a root was read. */
export interface ViewPoint {
  /** Names one life of the root in the store. */
  readonly generation: string;
  readonly upTo: number;
}

export interface ViewReading extends ViewPoint {
  /** Entries after this position; 0: all of them are in `entries`. */
  readonly after: number;
  readonly entries: readonly ViewEntry[];
}

/** All methods throw MR_QUEUE_UNAVAILABLE within a time limit; the request may still be carried out then. */
export interface ViewStore {
  /**
   * Begins or prolongs the session. Returns whether it holds the store. It does not while another one does, unless it
   * `takesOver`.
   */
  hold(session: string, takesOver: boolean): Promise<boolean>;
  /**
   * Ends this session if it holds the store; without an argument, any session. All roots are then missing. Works even
   * if the store has no memory left.
   */
  release(session?: string): Promise<void>;
  write(session: string, writes: readonly RootWrite[]): Promise<Written>;
  /** Adds notes, whether or not the root is there. The first note of a key stays. */
  note(root: Uid, notes: readonly ViewEntry[]): Promise<void>;
  /** The root's notes, whether or not the root is there. Undefined: they are or may be of another history. */
  notes(root: Uid): Promise<readonly ViewEntry[] | undefined>;
  /** Reads the writes to the root after `known`, or everything if that is of another life. Undefined: missing. */
  read(root: Uid, known?: ViewPoint): Promise<ViewReading | undefined>;
  close(): Promise<void>;
}

/** Suffix of the name of a session that begins with another history. */
export const anotherHistory = '!';

/**
 * The name of a session that begins with another history (etcd restored). Notes of former sessions do not count in it.
 */
export function ofAnotherHistory(session: string): string {
  return `${session}${anotherHistory}`;
}

export function isOfAnotherHistory(session: string): boolean {
  return session.endsWith(anotherHistory);
}

export interface ViewTimes {
  /** A session lasts for this time without being prolonged, in milliseconds. */
  readonly sessionMs: number;
  /** An unused root stays for this time, in milliseconds. */
  readonly unusedMs: number;
}

export const defaultViewTimes: ViewTimes = { sessionMs: 10_000, unusedMs: 3_600_000 };

/** If more entries than this are deleted, and more than exist, the root begins a new life without them. */
export const mostGone = 1_000;

export function entryKey(resourceKey: string, uid: Uid): string {
  return `${resourceKey}/${uid}`;
}

/** Key of the note of a child with this trace (trace.ts). No resource key begins like that. */
export function noteKey(resourceKey: string, trace: string): string {
  return `~${resourceKey}/${trace}`;
}

export function isNote(key: string): boolean {
  return key.startsWith('~');
}

/** The trace in a note, if it is of this resource. */
export function notedTrace(key: string, resourceKey: string): string | undefined {
  const prefix = noteKey(resourceKey, '');
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

/** The root for the list of all objects of a resource. No object has such a uid. */
export function listRoot(resource: Resource): Uid {
  return asUid(`*/${resourceKey(resource)}`);
}

export function resourceOfEntry(key: string): string {
  return key.slice(0, key.indexOf('/'));
}
