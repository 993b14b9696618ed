import { resourceKey } from '#shared/domain/objects.ts';
import type { Reader } from './reader.ts';

type List = Reader['list'];

/**
 * One list of a resource at a time for all callers, so that many concurrent decisions cost the API server
 * two lists instead of one each. A caller during a running list shares the next one. The running one may
 * lack the change that woke the caller.
 *
 * Several callers share the objects of a list and must not change them. They also share an error.
 */
export function sharedLists(list: List): List {
  const lanes = new Map<string, () => ReturnType<List>>();
  return (resource, asOf) => {
    const key = `${resourceKey(resource)} ${asOf ?? ''}`;
    const lane = lanes.get(key) ?? laneOf(() => list(resource, asOf));
    lanes.set(key, lane);
    return lane();
  };
}

function laneOf<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const start = (): Promise<T> => {
    next = undefined;
    underWay = ask().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  return () => {
    if (next !== undefined) return next;
    if (underWay === undefined) return start();
    next = underWay.then(start, start);
    return next;
  };
}
