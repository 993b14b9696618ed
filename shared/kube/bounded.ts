/**
 * Runs `work` for each item, at most `limit` at a time, and returns the results in the order of the
 * items. After the first one that throws no further item is started; what runs is waited for, so
 * that nothing is under way when this returns or throws. Of several errors `worst` picks one.
 */
export async function eachBounded<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
  worst: (errors: readonly [unknown, ...unknown[]]) => unknown,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const errors: unknown[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        results[index] = await work(item);
      } catch (error) {
        errors.push(error);
      }
      if (errors.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  const [first, ...others] = errors;
  if (errors.length > 0) throw worst([first, ...others]);
  return results;
}
