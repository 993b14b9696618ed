/** Suspensions that the API server has refused. */
import { expect, it } from 'vitest';
import { closedAt, held, job, markIn, policy, snapshot } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const refusedBefore = policy(undefined, { status: { refused: ['Job/default/a'] } });

it('is told as accepted once the object is suspended by this policy', () => {
  expect(decided(snapshot(refusedBefore, [held('a')])).events).toEqual(['a SuspensionAccepted']);
});

it('is told as accepted of nothing that somebody has resumed meanwhile', () => {
  const resumed = job('a', { mark: markIn(closedAt) });
  expect(decided(snapshot(refusedBefore, [resumed])).events).toEqual([]);
});

it('is told as accepted of nothing that another policy has suspended', () => {
  const others = held('a', { mark: markIn(closedAt, 'uid-of-another') });
  expect(decided(snapshot(refusedBefore, [others])).events).not.toContain('a SuspensionAccepted');
});

it('is told as accepted of nothing that was never refused', () => {
  expect(decided(snapshot(refusedBefore, [held('b')])).events).toEqual([]);
});
