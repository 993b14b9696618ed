/** Time as an argument: the simulation passes a virtual one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Runs `run` once at `atMs` or as soon as possible when that has passed. Returns the cancellation. */
  at(atMs: number, run: () => void): () => void;
}

/** Longest delay of a Node timer; anything above would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  at: (atMs, run) => {
    let timer: NodeJS.Timeout;
    const arm = () => {
      const delayMs = Math.max(0, atMs - Date.now());
      timer = delayMs > longestTimerMs ? setTimeout(arm, longestTimerMs) : setTimeout(run, delayMs);
    };
    arm();
    return () => clearTimeout(timer);
  },
};
