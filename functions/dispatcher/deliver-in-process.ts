import type { Deliver } from './deliver.ts';

/** Functions that run in this very process, by name. */
export function deliverInProcess(functions: ReadonlyMap<string, Deliver>): Deliver {
  return async (item, signal) => {
    const process = functions.get(item.function);
    if (process === undefined) {
      return { kind: 'parked', detail: `no function ${item.function} in this process` };
    }
    return process(item, signal);
  };
}
