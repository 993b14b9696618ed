/**
 * Batches of a watch look one turn of the event loop ahead (ready-batches.ts). A turn of Node's loop costs as
 * much as a step. Here it is the end of the step after the request, where Node's would end too. A trace is the
 * same with both.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

let isSimulated = false;
/** Waiters for the end of the next step, in order. */
let waiting: (() => void)[] = [];

/** Applies to all later waits for a turn in this process. Returns a function that reverts it. */
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

/** Whether the end of a step matters to a waiter. Waiters for Node's own turns are unknown. */
export function mayAwaitTurns(): boolean {
  return !isSimulated || waiting.length > 0;
}

type Rest = (next: () => void) => void;

/** A step of the timeline comes to rest in order: first its promises, then the turns that end with it. */
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
