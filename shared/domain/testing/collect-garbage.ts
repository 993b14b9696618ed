import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Everything that nobody holds is gone afterwards; what a weak reference gave out stays until the next turn. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  await nextTurn();
  (runInNewContext('gc') as () => void)();
}
