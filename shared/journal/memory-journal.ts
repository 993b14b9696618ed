import { randomUUID } from 'node:crypto';
import type { Clock, MonotonicClock } from '#shared/domain/clock.ts';
import { defaultBounds, type JournalBounds } from './bounds.ts';
import type { Appended, Journal, JournalRecord } from './journal.ts';
import { formatPosition, parsePosition } from './position.ts';

export interface MemoryJournalOptions {
  readonly clock: Clock & MonotonicClock;
  readonly bounds?: Partial<JournalBounds>;
  /** Names a new store; the simulation passes a seeded function. */
  readonly newEpoch?: () => string;
}

export interface MemoryJournal extends Journal {
  /** Simulates FLUSHALL: everything is gone and the epoch changes. */
  clear(): void;
}

interface StoredEntry {
  readonly position: string;
  readonly text: string;
  readonly bytes: number;
  /** When it was appended, in monotonic milliseconds. */
  readonly atMs: number;
}

/** A journal in the memory of one process. */
export function createMemoryJournal(options: MemoryJournalOptions): MemoryJournal {
  const { clock, newEpoch = randomUUID } = options;
  const bounds: JournalBounds = { ...defaultBounds, ...options.bounds };
  const entries: StoredEntry[] = [];
  const seen = new Map<string, number>();
  let bytes = 0;
  let sequence = 0;
  let lastMs = 0;
  let epoch = newEpoch();

  const isRepeat = (record: JournalRecord): boolean => {
    if (record.kind !== 'event') return false;
    const untilMs = seen.get(record.event.id);
    if (untilMs !== undefined && untilMs > clock.monotonicMs()) return true;
    // Deleted and added again, so that the oldest come first.
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
    let surplus = 0;
    for (const entry of entries) {
      const isWithin =
        entries.length - surplus <= bounds.maxEntries &&
        bytes <= bounds.maxBytes &&
        entry.atMs >= oldestMs;
      if (isWithin) break;
      surplus += 1;
      bytes -= entry.bytes;
    }
    if (surplus > 0) entries.splice(0, surplus);
  };
  const store = (record: JournalRecord): string => {
    // A clock that is set back must not put a later entry before an earlier one.
    lastMs = Math.max(lastMs, clock.now());
    sequence += 1;
    // Stored as text: its size is known, and it keeps no other object alive.
    const text = JSON.stringify(record);
    const position = formatPosition(lastMs, sequence);
    entries.push({ position, text, bytes: Buffer.byteLength(text), atMs: clock.monotonicMs() });
    return position;
  };

  return {
    append: async (records) => {
      let added = 0;
      let position: string | undefined;
      for (const record of records) {
        if (isRepeat(record)) continue;
        position = store(record);
        added += entries.at(-1)?.bytes ?? 0;
      }
      bytes += added;
      trim();
      return appended(position, entries[0]?.position, added);
    },
    read: async (after, limit) => {
      if (after !== undefined) parsePosition(after);
      const from = after === undefined ? 0 : entries.findIndex(({ position }) => position > after);
      const found = from === -1 ? [] : entries.slice(from, from + limit);
      return found.map(({ position, text }) => ({
        position,
        record: JSON.parse(text) as JournalRecord,
      }));
    },
    epoch: async () => epoch,
    close: async () => undefined,
    clear: () => {
      entries.length = 0;
      bytes = 0;
      seen.clear();
      epoch = newEpoch();
    },
  };
}

function appended(
  position: string | undefined,
  oldest: string | undefined,
  bytes: number,
): Appended {
  return {
    ...(position === undefined ? {} : { position }),
    ...(oldest === undefined ? {} : { oldest }),
    bytes,
  };
}
