import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasCode } from '#shared/domain/errors.ts';
import { parseMediaType } from './media-type.ts';

afterEach(() => vi.restoreAllMocks());

describe('a media type', () => {
  it.each<[string, string, string | undefined]>([
    ['text/plain', 'text/plain', undefined],
    [' \tApplication/CloudEvents+JSON \t', 'application/cloudevents+json', undefined],
    ['application/json;charset=UTF-8', 'application/json', 'utf-8'],
    ['application/json \t; \tCharset="utf-8" ', 'application/json', 'utf-8'],
    ['application/json;charset="u\\tf-8"', 'application/json', 'utf-8'],
    ['a/b;x="; charset=latin1";charset=utf-8', 'a/b', 'utf-8'],
    ['a/b; ; ;;', 'a/b', undefined],
  ])('%j is read', (text, essence, charset) => {
    const expected = charset === undefined ? { essence } : { essence, charset };
    expect(parseMediaType(text)).toEqual(expected);
  });
  it.each([
    '',
    'json',
    'application/',
    '/json',
    'application /json',
    'application/json charset=utf-8',
    'application/json, text/plain',
    'application/json;charset',
    'application/json;charset=',
    'application/json;charset =utf-8',
    'application/json;charset="utf-8',
    'application/json;charset="utf-8\\"',
    'application/json;charset=utf-8;charset=latin1',
    'application/json\u00a0',
    'application/json\u000b;charset=utf-8',
    'application/jſon',
    'application/json;x="\u0000"',
  ])('%j is none', (text) => {
    expect(() => parseMediaType(text)).toThrow(
      expect.toSatisfy((error) => hasCode(error, 'MR_EVENT_MALFORMED')) as Error,
    );
  });
});

/** Counts applications of expressions; the lint allows only those of linear cost. */
function applications(text: string): number {
  const exec = vi.spyOn(RegExp.prototype, 'exec');
  try {
    parseMediaType(text);
  } catch {
    // A refusal must not cost more either.
  }
  const { length } = exec.mock.calls;
  exec.mockRestore();
  return length;
}

it('costs at most twice the work when the text is twice as long', () => {
  const parts = ['; ', ';', ' ', '\t', '"', '\\', '=', 'a', 'charset', '="', 'x=y', '/', '\u00ff'];
  const pattern = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(pattern, fc.nat({ max: 200 }), fc.constantFrom('', '"', '\u0000'), (...input) => {
      const [repeated, times, end] = input;
      const text = (count: number): string => `a/b${repeated.join('').repeat(count)}${end}`;
      expect(applications(text(2 * times))).toBeLessThanOrEqual(2 * applications(text(times)) + 4);
      expect(applications(text(times))).toBeLessThanOrEqual(5 * text(times).length + 5);
    }),
  );
});
