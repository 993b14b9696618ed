/**
 * Gives memory back to the machine once a burst of work is over: V8 keeps what it has grown to for as
 * long as nothing is allocated, which is what a process that waits does.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Sandbox } from '#sandbox';

/** Fewer writes than this leave nothing worth a pause. */
const burst = 500;
const quietMs = 3_000;

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** Returns how to end it. */
export function releaseMemoryWhenQuiet(store: Sandbox['store']): () => void {
  let writes = 0;
  let timer: NodeJS.Timeout | undefined;
  const collect = collector();
  const release = (): void => {
    timer = undefined;
    writes = 0;
    collect({ type: 'major', flavor: 'last-resort' });
  };
  const unsubscribe = store.onChange(() => {
    writes += 1;
    if (writes < burst) return;
    if (timer === undefined) timer = setTimeout(release, quietMs).unref();
    else timer.refresh();
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}

/** V8's own, which is not among the globals unless it is asked for. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
