import { afterEach, describe, expect, it, vi } from 'vitest';
import fc from 'fast-check';
import { type Pattern, PatternFault, tryPattern } from './pattern.ts';

function compilePattern(pattern: string): Pattern {
  const found = tryPattern(pattern);
  if (found instanceof PatternFault) throw found;
  return found;
}

describe('a pattern of Go', () => {
  it.each([
    ['^a\\-b\\_c\\/d$', 'a-b_c/d', 'a-b_cd'],
    ['^[a-z\\-]+$', 'a-b', 'a_b'],
    ['^[\\]\\[^-]+$', ']^-[', 'a'],
    ['^[^]a]$', 'b', ']'],
    ['(?i)^straße$', 'STRAßE', 'strasse'],
    ['(?s)^a.b$', 'a\nb', 'ab'],
    ['^a.b$', 'a\rb', 'a\nb'],
    ['^\\s$', '\t', '\u00a0'],
    ['^[\\s]$', ' ', '\u2028'],
    ['^\\S$', '\u00a0', ' '],
    ['^\\pL+$', 'äß', 'a1'],
    ['^\\p{Greek}$', 'α', 'a'],
    ['^\\P{Lu}$', 'a', 'A'],
    ['^[[:alpha:][:digit:]_]+$', 'a1_', 'ä'],
    ['^\\x41\\x{1F600}$', 'A😀', 'A'],
    ['^\\Qa.b\\E$', 'a.b', 'axb'],
    ['\\Aab\\z', 'ab', 'ab\n'],
    ['^(?P<name>a)$', 'a', 'b'],
    ['^(?i:A)b$', 'ab', 'aB'],
    ['^{,5}$', '{,5}', ''],
    ['^a{2,3}$', 'aa', 'a'],
    ['^a}]$', 'a}]', 'a'],
    ['^.$', '😀', '😀😀'],
  ])('%s matches %j and not %j', (pattern, match, other) => {
    expect(compilePattern(pattern).test(match)).toBe(true);
    expect(compilePattern(pattern).test(other)).toBe(false);
  });
});

it.each([
  ['a(?=b)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
  ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
  ['a{1001}', 'error parsing regexp: invalid repeat count: `{1001}`'],
  ['((a{100}){100}){100}', 'error parsing regexp: invalid repeat count: `{100}`'],
  ['(', 'error parsing regexp: missing closing ): `(`'],
])('%s is refused in the words of Go', (pattern, message) => {
  expect(tryPattern(pattern)).toEqual(new PatternFault(message));
});

describe('the work of a match', () => {
  afterEach(() => vi.restoreAllMocks());

  /** The number of reads of each character of the text. */
  function looks(pattern: string, text: string): number {
    const expression = compilePattern(pattern);
    const spies = [
      vi.spyOn(String.prototype, 'charCodeAt'),
      vi.spyOn(String.prototype, 'codePointAt'),
    ];
    expression.test(text);
    const count = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    vi.restoreAllMocks();
    return count;
  }

  const killers = [
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(.*)*=',
    '(a?){20}a{20}',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]$',
  ];

  it('at most doubles with the text, whatever the pattern', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...killers),
        fc.constantFrom('a', 'x', 'ab'),
        fc.integer({ min: 20, max: 400 }),
        (pattern, unit, count) => {
          const short = `${unit.repeat(count)}!`;
          const long = `${unit.repeat(count * 2)}!`;
          // Each character is read in a few passes.
          expect(looks(pattern, short)).toBeLessThanOrEqual(8 * short.length + 100);
          expect(looks(pattern, long)).toBeLessThanOrEqual(2 * looks(pattern, short) + 100);
        },
      ),
    );
  });
});
