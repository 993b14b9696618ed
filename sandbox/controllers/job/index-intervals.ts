/**
 * Sets of completion indexes as intervals, in the notation of a Job's status: `0,2-5,7`.
 * Rule: pkg/controller/job/indexed_job_utils.go.
 */

/** Ascending, with at least one index between two intervals. Both ends are included. */
export type Intervals = readonly (readonly [first: number, last: number])[];

/** Ignores malformed parts, and cuts off indexes beyond the completions. */
export function parseIntervals(text: string | undefined, completions: number): Intervals {
  if (text === undefined || text === '') return [];
  const parsed: [number, number][] = [];
  for (const part of text.split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (match === null) continue;
    const first = Number(match[1]);
    if (first >= completions) break;
    parsed.push([first, Math.min(Number(match[2] ?? first), completions - 1)]);
  }
  return joined(parsed);
}

export function formatIntervals(intervals: Intervals): string {
  return intervals
    .map(([first, last]) => {
      if (first === last) return String(first);
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    })
    .join(',');
}

export function withIndexes(intervals: Intervals, indexes: Iterable<number>): Intervals {
  return union(
    intervals,
    [...indexes].map((index) => [index, index]),
  );
}

export function union(left: Intervals, right: Intervals): Intervals {
  return right.length === 0 ? left : joined([...left, ...right]);
}

export function total(intervals: Intervals): number {
  return intervals.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

export function includesIndex(intervals: Intervals, index: number): boolean {
  return intervals.some(([first, last]) => first <= index && index <= last);
}

/** Number of indexes that both have. */
export function overlap(left: Intervals, right: Intervals): number {
  let count = 0;
  for (const [first, last] of left) {
    for (const [otherFirst, otherLast] of right) {
      count += Math.max(0, Math.min(last, otherLast) - Math.max(first, otherFirst) + 1);
    }
  }
  return count;
}

/** The lowest `count` indexes below `completions` that are not in `taken`. */
export function lowestFree(taken: Intervals, count: number, completions: number): number[] {
  const free: number[] = [];
  let candidate = 0;
  for (const [first, last] of [...taken, [completions, completions] as const]) {
    for (; candidate < Math.min(first, completions) && free.length < count; candidate += 1) {
      free.push(candidate);
    }
    candidate = Math.max(candidate, last + 1);
  }
  return free;
}

function joined(intervals: Intervals): Intervals {
  const result: [number, number][] = [];
  for (const [first, last] of intervals.toSorted(([a], [b]) => a - b)) {
    const previous = result.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) {
      previous[1] = Math.max(previous[1], last);
    } else {
      result.push([first, last]);
    }
  }
  return result;
}
