import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import type { ObjectName } from '#shared/domain/objects.ts';
import type { KubeClient } from './client.ts';

export interface ElectionTimes {
  /** A silent leader keeps its term for this time, in milliseconds. */
  readonly leaseMs: number;
  /** A leader continues for this time without a successful renewal, in milliseconds. Well below `leaseMs`. */
  readonly renewMs: number;
  /** Pause between two attempts, in milliseconds. A candidate's is spread over [1, 2] of it. */
  readonly retryMs: number;
}

/** As kube-controller-manager. */
export const defaultElectionTimes: ElectionTimes = {
  leaseMs: 15_000,
  renewMs: 10_000,
  retryMs: 2_000,
};

export interface ElectionOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly lease: ObjectName;
  /** Unique among the candidates and over restarts: a pod's name and a random part. */
  readonly identity: string;
  /** Its wall time is written into the lease for people. The election uses its monotonic time. */
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly times?: ElectionTimes;
  /**
   * The leader's work. It must return soon after the signal aborts. Its failure ends the election.
   */
  readonly onElected: (signal: AbortSignal) => Promise<void> | void;
  /** Called at once when the lease was lost, before the work has returned. Not called at a stop. */
  readonly onLost?: () => void;
  /** Called with a failed attempt, for the log. The next attempt follows by itself. */
  readonly onFault?: (error: unknown) => void;
  /** Ends the candidacy: stops the work and releases the lease. */
  readonly signal: AbortSignal;
}
