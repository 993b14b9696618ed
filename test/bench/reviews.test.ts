import { expect, it } from 'vitest';
import { reviewCounts, reviewsBetween } from './reviews.ts';

const bucket = (admission: string, le: string, count: number) =>
  `millrace_review_duration_seconds_bucket{le="${le}",admission="${admission}"} ${count}`;

it('are counted over all admissions since the first reading, by their buckets', () => {
  const before = reviewCounts(['0.005', '0.01', '+Inf'].map((le) => bucket('a', le, 4)).join('\n'));
  const lines = [
    ...[bucket('a', '0.005', 14), bucket('a', '0.01', 20), bucket('a', '+Inf', 20)],
    ...[bucket('b', '0.005', 4), bucket('b', '0.01', 4), bucket('b', '+Inf', 4)],
  ];
  const after = reviewCounts(lines.join('\n'));
  expect(reviewsBetween(before, after, 4)).toEqual({
    perSecond: 5,
    p50Ms: expect.closeTo((5 * 10) / 14) as number,
    p99Ms: expect.closeTo(5 + (5 * 5.8) / 6) as number,
  });
});

it('are none where nothing was reviewed, and where there are no webhooks', () => {
  const counts = reviewCounts(bucket('a', '+Inf', 4));
  expect(reviewsBetween(counts, counts, 4)).toBeUndefined();
  expect(reviewsBetween(undefined, undefined, 4)).toBeUndefined();
});
