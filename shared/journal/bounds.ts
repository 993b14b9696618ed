/** Bounds of the journal. The first bound that is reached drops the oldest entries. */
export interface JournalBounds {
  /** Least number of entries kept; a store may keep slightly more. */
  readonly maxEntries: number;
  /** Age up to which entries are kept, in milliseconds. */
  readonly maxAgeMs: number;
  /** Bytes of the records' JSON in UTF-8. Never exceeded. */
  readonly maxBytes: number;
  /**
   * The id of a recorded event is remembered for this time, in milliseconds, so that a repeat is not
   * recorded again.
   */
  readonly seenMs: number;
}

const dayMs = 24 * 3_600_000;

/** For a persistent store such as Redis. */
export const defaultBounds: JournalBounds = {
  maxEntries: 200_000,
  maxAgeMs: 7 * dayMs,
  maxBytes: 256 * 1024 * 1024,
  seenMs: 10 * 60_000,
};
