import { describe, expect, it } from 'vitest';
import { record } from '../testing/builders.ts';
import { changed, isHeldUp, listed, maxMessageLength, notStarted, shortened } from './record.ts';

describe('a message of the status', () => {
  it('stays as it is up to the longest that a field may have', () => {
    const longest = 'x'.repeat(maxMessageLength);
    expect(shortened(longest)).toBe(longest);
  });

  it('is cut to that length beyond, and shows it', () => {
    const cut = shortened('x'.repeat(maxMessageLength + 1));
    expect(cut).toBe(`${'x'.repeat(maxMessageLength - 1)}\u2026`);
  });
});

describe('an entry of the status', () => {
  const why = { reason: 'DependenciesPending', message: 'waiting for b' };

  it('has no field that a change takes out', () => {
    const entry = record('a', 'Running', { reason: 'x', message: 'y' });
    expect(changed(entry, { reason: undefined, message: 'z' })).toStrictEqual(
      record('a', 'Running', { message: 'z' }),
    );
  });

  it('has nothing of an earlier attempt before its start, and the number of the attempt after the first', () => {
    const entry = record('a', 'Running', { startTime: 'x' });
    expect(notStarted(entry, 'Waiting', why)).toStrictEqual({
      ...{ name: 'a', state: 'Waiting', ...why },
    });
    expect(notStarted({ ...entry, attempt: 2 }, 'Waiting', why)).toStrictEqual({
      ...{ name: 'a', state: 'Waiting', attempt: 2, ...why },
    });
  });

  it.each([
    'Cancelling',
    'ChildTerminating',
    'FailureTarget',
    'SuccessCriteriaMet',
    'Suspending',
    'UnknownField',
  ])('reports no hold-up by the reason %s of a running step', (reason) => {
    expect(isHeldUp(record('a', 'Running', { reason }))).toBe(false);
  });
});

describe('a list of names', () => {
  it.each([
    [['a', 'b'], 'a, b'],
    [['a', 'b', 'c'], 'a, b and 1 more'],
    [['a', 'b', 'c', 'd'], 'a, b and 2 more'],
  ])('names two and counts the others: %j', (names, text) => {
    expect(listed(names, 2)).toBe(text);
  });
});
