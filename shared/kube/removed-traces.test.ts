import { expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import { RemovedTraces } from './removed-traces.ts';

it('keeps the latest 20,000, of whatever owners', () => {
  const traces = new RemovedTraces();
  const [early, late] = [asUid('early'), asUid('late')];
  traces.add(early, 'first', 'a');
  traces.add(early, 'second', 'b');
  for (let index = 0; index < 19_998; index += 1) traces.add(late, `late-${index}`, '');
  expect([...traces.of(early).values()]).toEqual(['a', 'b']);
  traces.add(early, 'first', 'a');
  traces.add(late, 'last', '');
  expect([...traces.of(early).values()]).toEqual(['a']);
  expect(traces.of(late).size).toBe(19_999);
});
