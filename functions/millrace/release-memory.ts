/**
 * Gives memory back to the machine once a burst of work is over: V8 keeps what it has grown to for as
 * long as nothing is allocated, which is what a process that waits does.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Less work than this leaves nothing worth a pause. */
const burst = 500;

export interface MemoryRelease {
  /** A piece of work was done: a write, a request. */
  worked(): void;
  end(): void;
}

/**
 * `quietMs`: so long nothing has to be done for a burst to be over. `collect`: default V8's collection
 * that gives back all it can.
 */
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

/** V8's own, which is not among the globals unless it is asked for. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Gc;
  return () => gc({ type: 'major', flavor: 'last-resort' });
}
