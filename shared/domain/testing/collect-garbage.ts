import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects all unreachable objects. An object that a weak reference returned stays until the next turn. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  await nextTurn();
  (runInNewContext('gc') as () => void)();
}
