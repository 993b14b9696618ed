import { expect, it } from 'vitest';
import { LogTail } from './log-tail.ts';

it('keeps the last lines, and finds those about something', () => {
  const tail = new LogTail(3);
  for (let n = 0; n < 20; n += 1) tail.write(`line ${n} of ${n % 2 === 0 ? 'a' : 'b'}\n`);
  expect(tail.linesWith('line')).toEqual(['line 17 of b', 'line 18 of a', 'line 19 of b']);
  expect(tail.linesWith('of a')).toEqual(['line 18 of a']);
});

it('lines that are written at once are separate', () => {
  const tail = new LogTail(3);
  tail.write('one\ntwo\n');
  expect(tail.linesWith('')).toEqual(['one', 'two']);
});
