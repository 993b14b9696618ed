import { describe, expect, it } from 'vitest';
import { usesName, withNames } from './cel-names.ts';

const names = { self: 'object.spec', oldSelf: 'oldObject' };

describe('the names of a CEL expression', () => {
  it.each([
    ['self.size() > 0', 'object.spec.size() > 0'],
    ['self == oldSelf', 'object.spec == oldObject'],
    [
      'has(self.a) && self.all(x, x.self != "")',
      'has(object.spec.a) && object.spec.all(x, x.self != "")',
    ],
    ['selfish + itself + self_1', 'selfish + itself + self_1'],
  ])('are replaced where they stand for a value: %s', (expression, replaced) => {
    expect(withNames(expression, names)).toBe(replaced);
  });

  it.each([
    '"a step names self or oldSelf"',
    "'a step names self'",
    String.raw`"an escaped quote \" before self"`,
    String.raw`'an escaped quote \' before self'`,
    String.raw`r"a backslash at the end of self\"`,
  ])('stay as they are within a string: %s', (text) => {
    expect(withNames(`${text} + self`, names)).toBe(`${text} + object.spec`);
  });

  it('are not found within a string', () => {
    expect(usesName('self != "oldSelf"', 'oldSelf')).toBe(false);
    expect(usesName('self != oldSelf', 'oldSelf')).toBe(true);
  });
});
