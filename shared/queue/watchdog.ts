/** Notices a queue that has due work and settles nothing: a wedged connection, a stuck worker loop. */

export interface ProgressSample {
  /** By a monotonic clock, because setting the wall clock must not look like a wait. */
  readonly monotonicMs: number;
  /** Items that could run now: waiting, not delayed or parked. */
  readonly due: number;
  /** Items settled since the start of the process, with any verdict. Never decreases. */
  readonly settled: number;
}

export type Progress =
  | { readonly kind: 'fine' }
  /** Work was due in every sample for `forMs` and nothing was settled. */
  | { readonly kind: 'stuck'; readonly forMs: number };

export interface WatchdogState {
  readonly settled: number;
  /** Since when work has been due without a settlement. Undefined: none is due. */
  readonly waitingSinceMs: number | undefined;
}

export const defaultNoProgressMs = 15_000;
export const freshWatchdog: WatchdogState = { settled: 0, waitingSinceMs: undefined };

/** Pure: the state after one more sample, and the result. A stuck queue should end in MR_NO_PROGRESS. */
export function watchProgress(
  state: WatchdogState,
  sample: ProgressSample,
  limitMs: number = defaultNoProgressMs,
): { readonly state: WatchdogState; readonly progress: Progress } {
  const moved = sample.settled !== state.settled;
  const since = moved ? undefined : state.waitingSinceMs;
  const waitingSinceMs = sample.due === 0 ? undefined : (since ?? sample.monotonicMs);
  const forMs = waitingSinceMs === undefined ? 0 : sample.monotonicMs - waitingSinceMs;
  return {
    state: { settled: sample.settled, waitingSinceMs },
    progress: forMs >= limitMs ? { kind: 'stuck', forMs } : { kind: 'fine' },
  };
}
