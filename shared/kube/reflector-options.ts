import type { Backoff } from '#shared/domain/backoff.ts';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import type { KubeObject, Resource, ResourceVersion } from '#shared/domain/objects.ts';
import type { KubeClient } from './client.ts';
import type { ObjectView, Project } from './object-view.ts';

/**
 * One thing that happened to one object, as projected.
 * `deleted` was seen on the watch and carries the version of the deletion; `gone` was inferred
 * (absent from a list, or replaced by another uid) and carries the last known version.
 */
export interface Change {
  readonly type: 'changed' | 'deleted' | 'gone';
  readonly object: KubeObject;
}

/** `stale`: cut off from the server; what is known is shown on, reconnecting goes on. */
export type ReflectorState = 'listing' | 'synced' | 'watching' | 'stale' | 'stopped';

/** Counted since the reflector was made. */
export interface ReflectorStats {
  readonly state: ReflectorState;
  /** Complete lists taken in, the first one included. */
  readonly lists: number;
  /** Watches opened after the first one. */
  readonly reconnects: number;
  /** Watch events read, bookmarks left out. */
  readonly events: number;
  /** Lists and events that were older than what is known. */
  readonly refused: number;
  /** Lists refused since the last one that was taken in; above 0 what is known may be out of date. */
  readonly refusedInARow: number;
  /** How often the history turned out to be another one and everything was told anew. */
  readonly startedOver: number;
  /** Everything up to this version was taken in. Undefined before the first list. */
  readonly version: ResourceVersion | undefined;
  /** Of the list that was refused last. Undefined unless `refusedInARow` is above 0. */
  readonly refusedVersion: ResourceVersion | undefined;
  /** Deliveries that the receiver did not take and that were made again. */
  readonly redeliveries: number;
  /** Milliseconds since the epoch of the last watch event or bookmark; 0 before the first. */
  readonly lastEventAtMs: number;
}

/** When lists that are older than what is known are believed (refused-lists.ts). */
export interface HistoryTimes {
  /** So many of them in a row at least. */
  readonly refusals: number;
  /** And so much waiting between them, in milliseconds, when their versions rise. */
  readonly risingMs: number;
  /** When they do not. */
  readonly standingMs: number;
}

export interface ReflectorTimes {
  /** Objects per page of a list; 500 as client-go's pager. */
  readonly pageLimit: number;
  /** A page that takes longer is given up, in milliseconds. */
  readonly pageTimeoutMs: number;
  /** The server is asked to end a watch after a random time in this range, in seconds. */
  readonly watchSeconds: readonly [shortest: number, longest: number];
  /** A watch that sends neither event nor bookmark (one a minute) this long is cut off. */
  readonly silenceMs: number;
  /** Everything is listed anew and compared after about this much watching, in milliseconds. */
  readonly relistMs: number;
  readonly reconnect: Backoff;
  readonly redeliver: Backoff;
  readonly history: HistoryTimes;
  /** Changes handed over at once, at most. 1 makes the order of a simulation independent of I/O. */
  readonly batchLimit: number;
}

export const defaultTimes: ReflectorTimes = {
  pageLimit: 500,
  pageTimeoutMs: 60_000,
  watchSeconds: [300, 600],
  silenceMs: 90_000,
  relistMs: 600_000,
  reconnect: { initialMs: 800, factor: 2, capMs: 30_000 },
  redeliver: { initialMs: 200, factor: 2, capMs: 5_000 },
  history: { refusals: 5, risingMs: 60_000, standingMs: 600_000 },
  batchLimit: 500,
};

export interface ReflectorOptions {
  readonly client: KubeClient;
  readonly resource: Resource;
  /** Absent: all namespaces. */
  readonly namespace?: string;
  /** As a function: asked at each list, whose watches go on with the answer. */
  readonly labelSelector?: string | (() => string | undefined);
  /** Takes away what nobody needs. Default: {@link stripMetadata}. */
  readonly project?: Project;
  /** Kept up to date before each delivery, so that a receiver finds in it what is delivered. */
  readonly view?: ObjectView;
  /**
   * Takes changes over, in order; one object may occur more than once. Nothing further is read until
   * it has fulfilled (backpressure). When it rejects, the same changes come again after a back-off,
   * for as long as it takes.
   */
  readonly deliver: (changes: readonly Change[], signal: AbortSignal) => Promise<void>;
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly times?: Partial<ReflectorTimes>;
  readonly onState?: (state: ReflectorState) => void;
  /**
   * The server shows another history than before (etcd restored from a backup): what is known is about
   * to be forgotten and everything told anew. Awaited first; when it rejects, the list is not believed
   * and asked for again.
   */
  readonly onStartOver?: (event: StartedOver) => void | Promise<void>;
  /** A list, watch or delivery failed; it is tried again after `retryInMs`. For the log. */
  readonly onFailure?: (failure: ReflectorFailure) => void;
}

export interface StartedOver {
  readonly because:
    /** A run of lists that were older than what is known. */
    | 'older-lists'
    /** A newer list with an object that is older than it was. */
    | 'older-objects'
    /** The list was older, and another resource of the same server had started over. */
    | 'told-so';
  /** What was known before, and what the new history begins with. */
  readonly known: ResourceVersion;
  readonly listedAt: ResourceVersion;
  /** Lists refused before, and the milliseconds waited between them. */
  readonly refusals: number;
  readonly waitedMs: number;
  /** Objects that are no more, and objects that are delivered anew. */
  readonly gone: number;
  readonly listed: number;
}

export interface ReflectorFailure {
  readonly during: 'list' | 'watch' | 'deliver';
  readonly error: unknown;
  /** Failures in a row, this one included. */
  readonly failures: number;
  readonly retryInMs: number;
}
