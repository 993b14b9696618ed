/**
 * What a tenant can make one decision and one review do, counted in calls of functions: fifty milliseconds of CPU are
 * some two million of them. `npm run bench:costs` has the milliseconds.
 */
import { expect, it } from 'vitest';
import { callsOf } from '../support/costs/calls.ts';
import { costCases } from '../support/costs/cases.ts';

const mostCalls = 2_000_000;

it.each(costCases)('#62 does no more than the schema bounds: $name', ({ worst, plain }) => {
  const most = callsOf(worst());
  expect(most).toBeGreaterThanOrEqual(callsOf(plain()));
  expect(most).toBeLessThan(mostCalls);
});
