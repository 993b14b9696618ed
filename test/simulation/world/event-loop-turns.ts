/**
 * Batches of a watch look one turn of the event loop ahead (ready-batches.ts). A turn of Node's costs
 * as much as a step; here it is the end of the step after the one in which it was asked for, which is
 * where Node's would end. A trace does not tell which ones were used.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

let isSimulated = false;
/** Those who wait for the end of the next step, in the order of their asking. */
let waiting: (() => void)[] = [];

/** For everything in this process that waits for a turn from now on. Returns how to undo it. */
export function simulateTurns(): () => void {
  const { setImmediate: ofNode } = timers;
  isSimulated = true;
  timers.setImmediate = <Value>(value?: Value) =>
    new Promise<Value>((resolve) => waiting.push(() => resolve(value as Value)));
  syncBuiltinESMExports();
  return () => {
    isSimulated = false;
    timers.setImmediate = ofNode;
    syncBuiltinESMExports();
  };
}

/** Whether an end of a step is more than that for anybody. Those who wait for a turn of Node's are not known. */
export function mayAwaitTurns(): boolean {
  return !isSimulated || waiting.length > 0;
}

type Rest = (next: () => void) => void;

/** What a step of the timeline comes to rest by: first its promises, then the turns that end with it. */
export function restWithTurns(afterPromises: Rest): Rest {
  if (!isSimulated) return setImmediate;
  waiting = [];
  return (next) => {
    const ended = waiting;
    if (ended.length === 0) {
      afterPromises(next);
      return;
    }
    waiting = [];
    const endNext = (): void => {
      const end = ended.shift();
      if (end === undefined) {
        next();
        return;
      }
      end();
      afterPromises(endNext);
    };
    afterPromises(endNext);
  };
}
