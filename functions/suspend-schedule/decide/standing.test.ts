import { describe, expect, it } from 'vitest';
import {
  hours,
  job,
  markIn,
  nights,
  policy,
  snapshot,
  submitted,
  uid,
} from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

describe('what runs and is none of the policy takes no room of it', () => {
  const one = policy({ capacity: { maxJobs: 1 }, adopt: 'Suspended' });

  it.each([
    ['as it was not submitted suspended', job('other')],
    ['as something else sees to it', job('other', { untouchable: 'Kueue' })],
  ])('%s', (_, other) => {
    expect(decided(snapshot(one, [other, submitted('next')])).resumes).toEqual(['next']);
  });
});

it('an object that a user suspended after its resumption stays so, although it has not run yet', () => {
  const object = submitted('stopped', { resumedBy: uid });
  const owner = policy({ capacity: { maxJobs: 1 }, adopt: 'Both' });
  expect(decided(snapshot(owner, [object])).resumes).toEqual([]);
});

it('what runs with the mark of an earlier period is held where only what is submitted suspended is', () => {
  const owner = policy({ schedule: nights, adopt: 'Suspended' });
  const objects = [job('own', { mark: markIn(-26 * hours) }), job('other')];
  expect(decided(snapshot(owner, objects)).suspends).toEqual(['own']);
});
