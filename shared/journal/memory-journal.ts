import { randomUUID } from 'node:crypto';
import type { Clock, MonotonicClock } from '#shared/domain/clock.ts';
import type { Json } from '#shared/domain/objects.ts';
import { defaultBounds, type JournalBounds } from './bounds.ts';
import type { Journal, JournalEntry, JournalRecord } from './journal.ts';
import { formatPosition, parsePosition } from './position.ts';

export interface MemoryJournalOptions {
  readonly clock: Clock & MonotonicClock;
  readonly bounds?: Partial<JournalBounds>;
  /** Names a fresh store; the simulation passes a seeded one. */
  readonly newEpoch?: () => string;
}

export interface MemoryJournal extends Journal {
  /** As FLUSHALL: everything is gone and the epoch is another one. */
  clear(): void;
}

/** The journal of one process; gone with it. */
export function createMemoryJournal(options: MemoryJournalOptions): MemoryJournal {
  const { clock, newEpoch = randomUUID } = options;
  const bounds: JournalBounds = { ...defaultBounds, ...options.bounds };
  const entries: JournalEntry[] = [];
  /** When each entry was appended, monotonic milliseconds. */
  const times: number[] = [];
  const seen = new Map<string, number>();
  const contents = new Map<string, string>();
  let sequence = 0;
  let lastMs = 0;
  let epoch = newEpoch();

  const isRepeat = (record: JournalRecord): boolean => {
    if (record.kind !== 'event') return false;
    const untilMs = seen.get(record.event.id);
    if (untilMs !== undefined && untilMs > clock.monotonicMs()) return true;
    // Anew at the end, so that the oldest are the first.
    seen.delete(record.event.id);
    seen.set(record.event.id, clock.monotonicMs() + bounds.seenMs);
    return false;
  };
  const trim = () => {
    for (const [id, untilMs] of seen) {
      if (untilMs > clock.monotonicMs()) break;
      seen.delete(id);
    }
    const oldestMs = clock.monotonicMs() - bounds.maxAgeMs;
    let surplus = Math.max(0, entries.length - bounds.maxEntries);
    while ((times[surplus] ?? Infinity) < oldestMs) surplus += 1;
    if (surplus === 0) return;
    entries.splice(0, surplus);
    times.splice(0, surplus);
  };
  const use = (hash: string, text: string) => {
    contents.delete(hash);
    contents.set(hash, text);
    for (const known of contents.keys()) {
      if (contents.size <= bounds.maxContents) break;
      contents.delete(known);
    }
  };

  return {
    append: async (records) => {
      for (const record of records) {
        if (isRepeat(record)) continue;
        // A clock that is set back must not bring a later entry before an earlier one.
        lastMs = Math.max(lastMs, clock.now());
        sequence += 1;
        entries.push({ position: formatPosition(lastMs, sequence), record });
        times.push(clock.monotonicMs());
      }
      trim();
    },
    putContent: async (hash, content) => use(hash, contents.get(hash) ?? JSON.stringify(content)),
    getContent: async (hash) => {
      const text = contents.get(hash);
      if (text === undefined) return undefined;
      use(hash, text);
      return JSON.parse(text) as Json;
    },
    read: async (after, limit) => {
      if (after !== undefined) parsePosition(after);
      const from = after === undefined ? 0 : entries.findIndex(({ position }) => position > after);
      return from === -1 ? [] : entries.slice(from, from + limit);
    },
    epoch: async () => epoch,
    close: async () => undefined,
    clear: () => {
      entries.length = 0;
      times.length = 0;
      seen.clear();
      contents.clear();
      epoch = newEpoch();
    },
  };
}
