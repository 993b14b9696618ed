import { isNewer } from '#shared/domain/resource-version.ts';
import type { MonotonicClock } from '#shared/domain/clock.ts';
import type { Uid } from '#shared/domain/objects.ts';
import {
  defaultViewTimes,
  isNote,
  isOfAnotherHistory,
  mostGone,
  type RootWrite,
  type ViewEntry,
  type ViewStore,
  type ViewTimes,
} from './view-store.ts';

export interface MemoryViews extends ViewStore {
  /** Simulates FLUSHALL. */
  clear(): void;
}

export interface MemoryViewsOptions {
  readonly clock: MonotonicClock;
  readonly times?: Partial<ViewTimes>;
}

interface Root {
  /** Empty: there is no session. */
  session: string;
  readonly generation: string;
  /** Each entry with its place in the order of writing. */
  readonly entries: Map<string, { readonly entry: ViewEntry; readonly at: number }>;
  written: number;
  untilMs: number;
}

/** Follows the rules of the Redis adapter in one process, for tests and the simulation. */
export function createMemoryViews({ clock, times }: MemoryViewsOptions): MemoryViews {
  const { sessionMs, unusedMs } = { ...defaultViewTimes, ...times };
  const roots = new Map<Uid, Root>();
  let held: { readonly session: string; readonly untilMs: number } | undefined;
  let generations = 0;

  const holder = (): string | undefined =>
    held !== undefined && held.untilMs > clock.monotonicMs() ? held.session : undefined;
  const present = (uid: Uid): Root | undefined => {
    const root = roots.get(uid);
    const isThere = root?.session === holder() && root !== undefined;
    return isThere && root.untilMs > clock.monotonicMs() ? root : undefined;
  };
  const begin = (uid: Uid, session: string): Root => {
    generations += 1;
    const generation = `${session}.${generations}`;
    const root: Root = { session, generation, entries: new Map(), written: 0, untilMs: 0 };
    roots.set(uid, root);
    return root;
  };
  const unexpired = (uid: Uid): Root | undefined => {
    const root = roots.get(uid);
    return root !== undefined && root.untilMs > clock.monotonicMs() ? root : undefined;
  };
  const isOfBefore = (root: Root | undefined, session: string): boolean =>
    isOfAnotherHistory(session) && root !== undefined && root.session !== '';
  const beginWhole = (uid: Uid, session: string): Root => {
    const former = unexpired(uid);
    const notes = isOfBefore(former, session) ? [] : [...(former?.entries.values() ?? [])];
    const root = begin(uid, session);
    for (const { entry } of notes) if (isNote(entry.key)) put(root, entry);
    return root;
  };
  const put = (root: Root, entry: ViewEntry): void => {
    const known = root.entries.get(entry.key)?.entry;
    if (known !== undefined && !replaces(entry, known)) return;
    root.written += 1;
    // Deleted and set again, so that the map is in the order of writing.
    root.entries.delete(entry.key);
    root.entries.set(entry.key, { entry, at: root.written });
  };
  const write = (session: string, asked: RootWrite): boolean => {
    const { root: uid, isWhole, entries } = asked;
    const root = present(uid) ?? (isWhole ? beginWhole(uid, session) : undefined);
    if (root === undefined) return false;
    for (const entry of entries) put(root, entry);
    root.untilMs = clock.monotonicMs() + unusedMs;
    const gone = [...root.entries.values()].filter(({ entry }) => entry.content === undefined);
    if (gone.length > mostGone && gone.length * 2 > root.entries.size) root.session = '';
    return true;
  };

  return {
    hold: async (session, takesOver) => {
      const now = holder();
      if (now !== undefined && now !== session && !takesOver) return false;
      held = { session, untilMs: clock.monotonicMs() + sessionMs };
      return true;
    },
    release: async (session) => {
      if (session === undefined || holder() === session) held = undefined;
    },
    write: async (session, writes) => {
      if (holder() !== session) return { isHeld: false, missing: [] };
      const missing = writes.filter((each) => !write(session, each)).map(({ root }) => root);
      return { isHeld: true, missing };
    },
    note: async (uid, notes) => {
      const root = unexpired(uid) ?? begin(uid, '');
      for (const note of notes) if (!root.entries.has(note.key)) put(root, note);
      root.untilMs = clock.monotonicMs() + unusedMs;
    },
    notes: async (uid) => {
      const root = unexpired(uid);
      if (root?.session !== holder() && isOfBefore(root, holder() ?? '')) return undefined;
      if (root !== undefined) root.untilMs = clock.monotonicMs() + unusedMs;
      const entries = [...(root?.entries.values() ?? [])].map(({ entry }) => entry);
      return entries.filter(({ key }) => isNote(key));
    },
    read: async (uid, known) => {
      const root = present(uid);
      if (root === undefined) return undefined;
      root.untilMs = clock.monotonicMs() + unusedMs;
      const { generation, written: upTo } = root;
      const after = known?.generation === generation ? known.upTo : 0;
      const later = [...root.entries.values()].filter(({ at }) => at > after);
      return { generation, upTo, after, entries: later.map(({ entry }) => entry) };
    },
    close: async () => undefined,
    clear: () => {
      roots.clear();
      held = undefined;
    },
  };
}

/** view-store-3. An inferred end carries the last known version. */
function replaces(entry: ViewEntry, known: ViewEntry): boolean {
  if (isNewer(entry.version, known.version)) return true;
  const isEnd = entry.content === undefined && known.content !== undefined;
  return isEnd && entry.version === known.version;
}
