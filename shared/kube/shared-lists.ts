import { resourceKey } from '#shared/domain/objects.ts';
import type { Reader } from './reader.ts';

type List = Reader['list'];

/**
 * One list of a resource at a time for all who want it, so that many objects that are decided about at once
 * cost the API server two lists instead of one each. Who asks while one is under way shares the next one:
 * the one under way may not hold what woke them.
 *
 * The objects of a list belong to several then; nobody changes them. An error is everybody's who shares.
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
