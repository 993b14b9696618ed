import { expect, it } from 'vitest';
import { rateLimitedWarnings } from './log.ts';

it('passes the first warning on at once and then one per interval, with the number left out, if any', () => {
  let nowMs = 0;
  const logged: object[] = [];
  const warn = rateLimitedWarnings(
    { info: () => undefined, warn: (fields) => logged.push(fields) },
    10_000,
    () => nowMs,
  );
  for (; nowMs < 25_000; nowMs += 1_000) warn({ atMs: nowMs }, 'lost');
  expect(logged).toEqual([{ atMs: 0 }, { atMs: 10_000, leftOut: 9 }, { atMs: 20_000, leftOut: 9 }]);
});
