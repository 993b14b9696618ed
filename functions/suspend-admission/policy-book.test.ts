import { expect, it } from 'vitest';
import type { SuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import { PolicyBook } from './policy-book.ts';
import { nights, nowMs, policy } from './testing/reviews.ts';

const hourMs = 3_600_000;
const ofGeneration = (spec: SuspendPolicySpec, generation: number) => {
  const made = policy('nights', spec);
  return { ...made, metadata: { ...made.metadata, generation } };
};

function noted(spec: SuspendPolicySpec) {
  const book = new PolicyBook();
  const seen = policy('nights', spec);
  book.note(seen, nowMs);
  const at = (hours: number) => book.openingOf(seen, nowMs + hours * hourMs)?.opening;
  return { book, at };
}

it('knows by what it noted whether work may run, for some transitions ahead', () => {
  const { at } = noted({ schedule: nights });
  expect([0, 11, 12, 21, 22, 36].map(at)).toEqual([
    'Closed',
    'Closed',
    'Open',
    'Open',
    'Closed',
    'Open',
  ]);
});

it('does not know beyond them, nor before', () => {
  const minutes = {
    timeZone: 'UTC',
    windows: [{ name: 'm', open: '*/2 * * * *', close: '1-59/2 * * * *' }],
  };
  const { at } = noted({ schedule: minutes });
  expect(at(1)).toBeUndefined();
  expect(at(-1)).toBeUndefined();
});

it('does not know of a policy that it has not seen, nor of one that was edited since', () => {
  const { book } = noted({ schedule: nights });
  expect(new PolicyBook().openingOf(ofGeneration({ schedule: nights }, 1), nowMs)).toBeUndefined();
  const edited = ofGeneration({ schedule: { ...nights, mode: 'SuspendInside' } }, 2);
  expect(book.openingOf(edited, nowMs)).toBeUndefined();
  book.note(edited, nowMs);
  expect(book.openingOf(edited, nowMs)?.opening).toBe('Open');
});

it('notes further transitions when the policy is seen after the first', () => {
  const { book } = noted({ schedule: nights });
  const seen = policy('nights', { schedule: nights });
  book.note(seen, nowMs + 1_000 * 24 * hourMs);
  expect(book.openingOf(seen, nowMs + 1_000 * 24 * hourMs)?.opening).toBe('Closed');
});

it('does not know of a policy that cannot be followed', () => {
  expect(noted({ schedule: { ...nights, timeZone: 'Mars/Base' } }).at(0)).toBeUndefined();
});

it('knows that one without a schedule is open', () => {
  expect(noted({ capacity: { maxJobs: 1 } }).at(100_000)).toBe('Open');
});
