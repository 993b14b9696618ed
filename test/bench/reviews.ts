/** Millrace's reviews, from its own metric `millrace_review_duration_seconds`. */
import { samplesOf } from './prometheus-text.ts';

export interface ReviewFigures {
  readonly perSecond: number;
  /** From the arrival of a review to its answer, interpolated evenly within a bucket. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** By the bucket's upper bound in seconds, ascending: how many took at most so long. */
export type ReviewCounts = ReadonlyMap<number, number>;

const metric = 'millrace_review_duration_seconds_bucket';

/** `url`: of the metrics. Undefined: there are no webhooks. */
export async function readReviews(url: string | undefined): Promise<ReviewCounts | undefined> {
  if (url === undefined) return undefined;
  return reviewCounts(await (await fetch(url)).text());
}

export function reviewCounts(text: string): ReviewCounts {
  const counts = new Map<number, number>();
  for (const { labels, value } of samplesOf(text, metric)) {
    const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
    counts.set(bound, (counts.get(bound) ?? 0) + value);
  }
  return new Map([...counts].toSorted(([one], [other]) => one - other));
}

/** Undefined: there was no review in these seconds. */
export function reviewsBetween(
  before: ReviewCounts | undefined,
  after: ReviewCounts | undefined,
  seconds: number,
): ReviewFigures | undefined {
  const grown = [...(after ?? [])].map(
    ([bound, count]) => [bound, count - (before?.get(bound) ?? 0)] as const,
  );
  const total = grown.at(-1)?.[1] ?? 0;
  if (total === 0) return undefined;
  const atMs = (share: number) => 1000 * quantile(grown, share * total);
  return { perSecond: total / seconds, p50Ms: atMs(0.5), p99Ms: atMs(0.99) };
}

function quantile(counts: readonly (readonly [bound: number, count: number])[], rank: number) {
  const at = counts.findIndex(([, count]) => count >= rank);
  const [bound, count] = counts[at] ?? [Infinity, 0];
  const [lower, below] = counts[at - 1] ?? [0, 0];
  return lower + ((bound - lower) * (rank - below)) / (count - below);
}
