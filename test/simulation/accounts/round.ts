/** What is entered of one round of a run: what it read, decided, asked for and recorded, and when. */
import type { Decision, DecisionInput } from '#shared/domain/decision.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';
import type { DecisionRecord } from '#shared/journal/journal.ts';
import type { Exchange } from './exchange.ts';

export interface Round {
  /** By the monotonic clock of the machine, milliseconds. */
  readonly beganMs: number;
  /** When it asked for the first of what it read, by the monotonic clock of the machine, milliseconds. */
  openedAtMs?: number;
  /** By whom it read: the usual reader, or the one that asks the API server. */
  readonly readBy: Set<ReaderName>;
  /** The object decided about, as it was read last; `version` undefined: there was none. */
  seen?: {
    readonly askedAtMs: number;
    readonly version: string | undefined;
    /** When the API server was asked for it; undefined: it came from elsewhere, or nobody says. */
    readonly servedAtMs: number | undefined;
  };
  /** Until when its views held everything when it began to read, by kind, monotonic milliseconds. */
  readonly asOf: Map<string, number>;
  /** Undefined: it has not read to the end. */
  observed?: { readonly snapshot?: unknown; readonly error?: unknown };
  /** What the decision was told of what the API server said to the one before. */
  readonly told: (readonly Rejection[] | readonly WriteWarning[])[];
  decided?: Decided;
  /** Looks at the object after the decision: before the first write, and in the middle of a plan that takes long. */
  readonly looks: FreshLook[];
  readonly exchanges: Exchange[];
  readonly records: RecordEntry[];
  /** As it was measured: by the monotonic clock of the machine, milliseconds. */
  endedMs?: number;
  /** Whether the time to look again was another one than on record, when it was measured. */
  isNews?: boolean;
}

export type ReaderName = 'usual' | 'fresh';

export interface Decided {
  readonly snapshot: unknown;
  readonly input: DecisionInput;
  readonly decision: Decision;
  readonly clockMs: number;
  /** Runs that were under way then. */
  readonly underWay: number;
  readonly atMs: number;
  /** In the order of what is sent and answered. */
  readonly at: number;
}

export interface FreshLook {
  readonly by: ReaderName;
  /** In the order of what is sent and answered. */
  readonly askedAt: number;
  /** Both by the monotonic clock of the machine, milliseconds. */
  readonly askedAtMs: number;
  answer?: {
    readonly atMs: number;
    /** In the order of what is sent and answered. */
    readonly at: number;
    readonly object?: KubeObject | undefined;
    readonly error?: unknown;
  };
}

export interface RecordEntry {
  readonly record: DecisionRecord;
  /** Position of the record that it has to stand on; undefined: it has to stand for itself. */
  readonly base: string | undefined;
  /** Why the journal did not take it, as the process was told. */
  error?: unknown;
}

export function newRound(beganMs: number): Round {
  return {
    beganMs,
    readBy: new Set(),
    asOf: new Map(),
    told: [],
    looks: [],
    exchanges: [],
    records: [],
  };
}
