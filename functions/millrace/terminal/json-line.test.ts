import { expect, it } from 'vitest';
import { printable } from '#shared/domain/printable.ts';
import { jsonLine } from './json-line.ts';

it('a line of JSON holds nothing that a terminal obeys, and parses to the same value', () => {
  const value = { 'a\u202e': ['\u001b[2J\n', 'x\u200b\u{e0041}\u2028', 'ü'] };
  const line = jsonLine(value);
  expect(printable(line)).toBe(line);
  expect(JSON.parse(line)).toEqual(value);
});
