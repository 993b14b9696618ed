import { expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import { RemovedNames } from './removed-names.ts';

it('keeps the latest 20,000, of whatever owners', () => {
  const names = new RemovedNames();
  const [early, late] = [asUid('early'), asUid('late')];
  names.add(early, 'first');
  names.add(early, 'second');
  for (let index = 0; index < 19_998; index += 1) names.add(late, `late-${index}`);
  expect(names.of(early)).toEqual(['first', 'second']);
  names.add(early, 'first');
  names.add(late, 'last');
  expect(names.of(early)).toEqual(['first']);
  expect(names.of(late)).toHaveLength(19_999);
});
