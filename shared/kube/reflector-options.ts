import type { Backoff } from '#shared/domain/backoff.ts';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import type { KubeObject, Resource, ResourceVersion } from '#shared/domain/objects.ts';
import type { KubeClient } from './client.ts';
import type { ObjectView, Project } from './object-view.ts';

/**
 * One change of one object, as projected. `deleted` was seen on the watch and carries the version of
 * the deletion. `gone` was inferred (absent from a list, or replaced by another uid) and carries the
 * last known version.
 */
export interface Change {
  readonly type: 'changed' | 'deleted' | 'gone';
  readonly object: KubeObject;
}

/** `stale`: cut off from the server. The known state stays readable, and reconnecting continues. */
export type ReflectorState = 'listing' | 'synced' | 'watching' | 'stale' | 'stopped';

/** Counted since the reflector was made. */
export interface ReflectorStats {
  readonly state: ReflectorState;
  /** Complete lists taken in, the first one included. */
  readonly lists: number;
  /** Watches opened after the first one. */
  readonly reconnects: number;
  /** Watch events read, without bookmarks. */
  readonly events: number;
  /** Lists and events that were older than the known state. */
  readonly refused: number;
  /** Lists refused since the last accepted one. Above 0, the known state may be out of date. */
  readonly refusedInARow: number;
  /** Counts the times at which another history was found and everything was reported again. */
  readonly startedOver: number;
  /** Everything up to this version was taken in. Undefined before the first list. */
  readonly version: ResourceVersion | undefined;
  /** Version of the last refused list. Undefined unless `refusedInARow` is above 0. */
  readonly refusedVersion: ResourceVersion | undefined;
  /** Deliveries that the receiver did not take and that were repeated. */
  readonly redeliveries: number;
  /** Time of the last watch event or bookmark, in milliseconds since the epoch; 0 before the first. */
  readonly lastEventAtMs: number;
}

/** When lists that are older than the known state are believed (refused-lists.ts). */
export interface HistoryTimes {
  /** Least number of them in a row. */
  readonly refusals: number;
  /** Least wait between them if their versions rise, in milliseconds. */
  readonly risingMs: number;
  /** The same if their versions do not rise. */
  readonly standingMs: number;
}

export interface ReflectorTimes {
  /** Objects per page of a list; 500 as client-go's pager. */
  readonly pageLimit: number;
  /** Time limit of a page, in milliseconds. */
  readonly pageTimeoutMs: number;
  /** The server should end a watch after a random time in this range, in seconds. */
  readonly watchSeconds: readonly [shortest: number, longest: number];
  /** A watch without an event or bookmark (one a minute) for this long is cut off. */
  readonly silenceMs: number;
  /** Everything is listed again and compared after about this much watching, in milliseconds. */
  readonly relistMs: number;
  readonly reconnect: Backoff;
  readonly redeliver: Backoff;
  readonly history: HistoryTimes;
  /** Most changes handed over at once. 1 makes the order of a simulation independent of I/O. */
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
  /** A function is called at each list; the watches that follow use the same value. */
  readonly labelSelector?: string | (() => string | undefined);
  /** Removes unneeded parts. Default: {@link stripMetadata}. */
  readonly project?: Project;
  /** Updated before each delivery, so that a receiver finds the delivered objects in it. */
  readonly view?: ObjectView;
  /**
   * Takes changes over, in order; one object may occur more than once. Nothing further is read until
   * it has fulfilled (backpressure). If it rejects, the same changes are repeated after a back-off
   * until they are taken.
   */
  readonly deliver: (changes: readonly Change[], signal: AbortSignal) => Promise<void>;
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly times?: Partial<ReflectorTimes>;
  readonly onState?: (state: ReflectorState) => void;
  /**
   * The server shows another history (etcd restored from a backup), so the known state will be dropped
   * and everything reported again. This is awaited first. If it rejects, the list is not believed and
   * is requested again.
   */
  readonly onStartOver?: (event: StartedOver) => void | Promise<void>;
  /** A list, watch or delivery failed and is repeated after `retryInMs`. For the log. */
  readonly onFailure?: (failure: ReflectorFailure) => void;
}

export interface StartedOver {
  readonly because:
    /** Several lists in a row were older than the known state. */
    | 'older-lists'
    /** A newer list had an object at an older version. */
    | 'older-objects'
    /** The list was older, and another resource of the same server had started over. */
    | 'other-resource';
  /** The last known version, and the first one of the new history. */
  readonly known: ResourceVersion;
  readonly listedAt: ResourceVersion;
  /** Lists refused before, and the total wait between them in milliseconds. */
  readonly refusals: number;
  readonly waitedMs: number;
  /** Objects that are gone, and objects that are delivered again. */
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
