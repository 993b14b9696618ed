import { describe, expect, it } from 'vitest';
import { compilePattern } from './pattern.ts';

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
