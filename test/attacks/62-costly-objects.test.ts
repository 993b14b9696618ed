/**
 * The cost of one decision and one review that a tenant can cause, counted in calls of functions. Fifty milliseconds of
 * CPU are some two million calls. `npm run bench:costs` measures milliseconds.
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
