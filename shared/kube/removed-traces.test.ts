import { describe, expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import { RemovedTraces } from './removed-traces.ts';

it('keeps the latest 20,000, of whatever owners', () => {
  const traces = new RemovedTraces(() => 0);
  const [early, late] = [asUid('early'), asUid('late')];
  traces.add(early, 'first', 'a');
  traces.add(early, 'second', 'b');
  for (let index = 0; index < 19_998; index += 1) traces.add(late, 'late', `${index}`);
  expect([...traces.of(early)]).toEqual([
    ['a', 'first'],
    ['b', 'second'],
  ]);
  traces.add(early, 'first', 'a');
  traces.add(late, 'last', 'last');
  expect([...traces.of(early)]).toEqual([['a', 'first']]);
  expect(traces.of(late).size).toBe(19_999);
});

describe('a trace that had to be forgotten', () => {
  const most = 20_000;
  const filled = (count: number) => {
    const now = { ms: 0 };
    const traces = new RemovedTraces(() => now.ms);
    const add = (index: number) => traces.add(asUid(`o-${index % 7}`), 'key', `t-${index}`);
    for (let index = 0; index < count; index += 1) add(index);
    return { now, traces, add };
  };

  it('is in doubt for the two minutes in which it may be asked for', () => {
    const { now, traces } = filled(most + 1);
    expect(traces.isWhole).toBe(false);
    now.ms = 120_000;
    expect(traces.isWhole).toBe(false);
    now.ms = 120_001;
    expect(traces.isWhole).toBe(true);
  });

  it('is of no concern when it was removed long before it was forgotten', () => {
    const { now, traces, add } = filled(most);
    expect(traces.isWhole).toBe(true);
    now.ms = 120_001;
    add(most);
    expect(traces.isWhole).toBe(true);
  });

  it('is of no concern in another history', () => {
    const { traces } = filled(most + 1);
    traces.clear();
    expect(traces.isWhole).toBe(true);
  });
});
