/** A resumed object keeps the name of the policy that had suspended it: suspend-2 and suspend-3. */
import { expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { asUid, type JsonObject } from '#shared/domain/objects.ts';
import {
  closedAt,
  held,
  job,
  markIn,
  nights,
  opensAt,
  policy,
  snapshot,
  submitted,
  uid,
} from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const resumedBy = ({ patches }: ReturnType<typeof decided>) =>
  patches.map(({ patch }) => {
    const { annotations: own } = patch['metadata'] as { annotations: JsonObject };
    return own[annotations.resumedBy];
  });

it.each([
  ['this policy', uid],
  ['another one, which let go of it', asUid('uid-of-another')],
])('what is resumed names the policy that had suspended it: %s', (_, by) => {
  const of = snapshot(policy(), [held('a', { mark: markIn(closedAt, by) })]);
  expect(resumedBy(decided(of, opensAt))).toEqual([by]);
});

it('what was submitted suspended is resumed as adopted', () => {
  const of = snapshot(policy({ schedule: nights, adopt: 'Suspended' }), [submitted('a')]);
  expect(resumedBy(decided(of, opensAt))).toEqual(['adopted']);
});

it('what runs loses what was written on it, and nothing is written where nothing was', () => {
  const [marked, noted, plain] = [
    job('marked', { mark: markIn(closedAt) }),
    job('noted', { held: '{}' }),
    job('plain'),
  ];
  const { annotates, mark, note } = decided(snapshot(policy(), [marked, noted, plain]), opensAt);
  expect(annotates).toEqual(['marked', 'noted']);
  expect([mark('marked'), note('noted')]).toEqual([null, null]);
});
