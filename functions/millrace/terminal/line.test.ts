import { expect, test } from 'vitest';
import { renderLine, wrapLine } from './line.ts';

const plain = { colour: false, utf8: true };
const wrapped = (pieces: Parameters<typeof wrapLine>[0], columns: number) =>
  wrapLine(pieces, columns).map((line) => renderLine(line, plain));

test('a line is broken at spaces, and what follows is indented', () => {
  expect(wrapped(['one two ', ['three four', 'red']], 12)).toEqual([
    'one two',
    '    three',
    '    four',
  ]);
});

test('a line that fits stays as it is', () => {
  expect(wrapped(['  one two'], 9)).toEqual(['  one two']);
});

test('a word longer than the line stays whole, so that it can be copied', () => {
  expect(wrapped(['see http://127.0.0.1:7070/metrics now'], 10)).toEqual([
    'see',
    '    http://127.0.0.1:7070/metrics',
    '    now',
  ]);
});

test('what moves the cursor or hides text is not drawn', () => {
  expect(renderLine(['a\u001B[2Jb\u202Ec\nd'], plain)).toBe('a [2Jb c d');
});
