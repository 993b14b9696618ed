import type { ReadOptions } from '../open-cluster.ts';

/** Where the journal is that a command reads. */
export interface JournalSourceOptions extends ReadOptions {
  /** A recording. */
  readonly file?: string;
  readonly redis?: string;
  readonly redisInsecure?: boolean;
}

/** Which entries are meant. */
export interface EntryChoice {
  readonly namespace?: string;
  readonly function?: string;
}

export interface JournalOptions extends JournalSourceOptions, EntryChoice {
  readonly follow?: boolean;
  readonly output?: 'text' | 'json';
}
