import type { Deliver } from './deliver.ts';

/** Calls functions of this process, by name. */
export function deliverInProcess(functions: ReadonlyMap<string, Deliver>): Deliver {
  return async (item, signal) => {
    const process = functions.get(item.function);
    if (process === undefined) {
      return { kind: 'parked', detail: `no function ${item.function} in this process` };
    }
    return process(item, signal);
  };
}
