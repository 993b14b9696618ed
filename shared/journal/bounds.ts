/** How much of the past the journal keeps. */
export interface JournalBounds {
  /** Entries kept, at least; a store may keep somewhat more. */
  readonly maxEntries: number;
  /** Age up to which entries are kept, in milliseconds. */
  readonly maxAgeMs: number;
  /** Immutable values kept; those that were not used for longest give way. */
  readonly maxContents: number;
  /** How long the id of a recorded event is remembered, so that a repeat is not recorded again. */
  readonly seenMs: number;
}

const dayMs = 24 * 3_600_000;

/** About 100 MB of Redis memory at 500 bytes an entry. */
export const defaultBounds: JournalBounds = {
  maxEntries: 200_000,
  maxAgeMs: 7 * dayMs,
  maxContents: 20_000,
  seenMs: 10 * 60_000,
};
