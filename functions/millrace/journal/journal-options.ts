import type { ReadOptions } from '../open-cluster.ts';

/** Where the journal is that a command reads. */
export interface JournalSourceOptions extends ReadOptions {
  /** A recording; - for standard input. */
  readonly file?: string;
  readonly redis?: string;
  readonly redisInsecure?: boolean;
}

/** Which entries are meant. */
export interface EntryChoice {
  readonly namespace?: string;
  readonly function?: string;
  /** Of an event, or the position of a decision. */
  readonly id?: string;
  /** Milliseconds since the epoch, both included. */
  readonly from?: number;
  readonly to?: number;
  /** A part of the type of the event that led to it, such as `deleted`. */
  readonly type?: string;
  /** How the outcome begins, such as `applied` or `conflict`. */
  readonly outcome?: string;
}

export interface JournalOptions extends JournalSourceOptions, EntryChoice {
  readonly follow?: boolean;
  readonly output?: 'text' | 'json';
}
