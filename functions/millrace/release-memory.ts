/**
 * Returns memory to the machine after a burst of work. V8 keeps its heap while nothing is allocated, and a waiting
 * process allocates nothing.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After less work than this, a collection is not worth its pause. */
const burst = 500;

export interface MemoryRelease {
  /** Counts a piece of work: a write, a request. */
  worked(): void;
  end(): void;
}

/** `quietMs`: a burst is over after this time without work. `collect`: default is V8's most thorough collection. */
export function releaseMemoryWhenQuiet(quietMs: number, collect = collector()): MemoryRelease {
  let pieces = 0;
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    timer = undefined;
    pieces = 0;
    collect();
  };
  const worked = (): void => {
    pieces += 1;
    if (pieces < burst) return;
    if (timer === undefined) timer = setTimeout(release, quietMs).unref();
    else timer.refresh();
  };
  return { worked, end: () => clearTimeout(timer) };
}

type Gc = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** V8's `gc`, which is not a global by default. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Gc;
  return () => gc({ type: 'major', flavor: 'last-resort' });
}
