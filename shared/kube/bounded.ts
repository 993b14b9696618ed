export interface Attempted<Result> {
  /** Results of the successful items, in the order of the items. */
  readonly results: readonly Result[];
  /** Errors of the failed items, in the order of time; empty if all succeeded. */
  readonly errors: readonly unknown[];
}

/**
 * Runs `work` for each item, at most `limit` at a time. After the first error no further item is
 * started. Running ones are awaited, so that nothing is running when this returns.
 */
export async function eachBounded<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Attempted<Result>> {
  const results = new Map<number, Result>();
  const errors: unknown[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        results.set(index, await work(item));
      } catch (error) {
        errors.push(error);
      }
      if (errors.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  const inOrder = [...results].sort(([left], [right]) => left - right);
  return { results: inOrder.map(([, result]) => result), errors };
}
