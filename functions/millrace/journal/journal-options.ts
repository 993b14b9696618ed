import type { ReadOptions } from '../open-cluster.ts';

/** The journal that a command reads. */
export interface JournalSourceOptions extends ReadOptions {
  /** A file with a recording. `-`: standard input. */
  readonly file?: string;
  readonly redis?: string;
  readonly redisInsecure?: boolean;
}

export interface EntryChoice {
  readonly namespace?: string;
  readonly function?: string;
  /** The id of an event, or the position of a decision. */
  readonly id?: string;
  /** Milliseconds since the epoch, both included. */
  readonly from?: number;
  readonly to?: number;
  /** A part of the type of the decision's event, such as `deleted`. */
  readonly type?: string;
  /** The beginning of the outcome, such as `applied` or `conflict`. */
  readonly outcome?: string;
}

export interface JournalOptions extends JournalSourceOptions, EntryChoice {
  readonly follow?: boolean;
  readonly output?: 'text' | 'json';
}
