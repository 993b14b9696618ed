import { expect, test } from 'vitest';
import { Screen } from './screen.ts';

function recording() {
  const written: string[] = [];
  const screen = new Screen({ columns: 100, rows: 20, write: (text) => written.push(text) });
  return { screen, written };
}

test('the first block hides the cursor, the next one goes back to its top', () => {
  const { screen, written } = recording();
  screen.draw(['a', 'b']);
  screen.draw(['c', 'd']);
  expect(written).toEqual(['\u001B[?25la\u001B[K\nb\u001B[K\n', '\u001B[2Fc\u001B[K\nd\u001B[K\n']);
});

test('a shorter block clears the lines it no longer needs, and never the screen below', () => {
  const { screen, written } = recording();
  screen.draw(['a', 'b']);
  screen.draw(['c']);
  expect(written.at(-1)).toBe('\u001B[2Fc\u001B[K\n\u001B[K\n\u001B[1F');
  expect(written.join('')).not.toContain('J');
});

test('the cursor is shown again once, and what was drawn stays', () => {
  const { screen, written } = recording();
  screen.draw(['a']);
  screen.release();
  screen.release();
  expect(written.slice(1)).toEqual(['\u001B[?25h']);
  screen.draw(['b']);
  expect(written.at(-1)).toBe('\u001B[?25lb\u001B[K\n');
});

test('leaves one row free, so that nothing scrolls away', () => {
  expect(recording().screen.rows).toBe(19);
});

test('a terminal without a size is taken for one of 80 by 24', () => {
  const screen = new Screen({ columns: 0, rows: 0, write: () => undefined });
  expect([screen.columns, screen.rows]).toEqual([80, 23]);
});
