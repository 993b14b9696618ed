import { expect, it } from 'vitest';
import { showProgress } from './progress.ts';

function progressOn(isTTY: boolean) {
  const written: string[] = [];
  const clock = { nowMs: 0 };
  const output = { isTTY, write: (text: string) => void written.push(text) };
  return { written, clock, progress: showProgress(output, () => clock.nowMs) };
}

it('the progress on a terminal is one line with a bar, the rate and what is left, and goes at the end', () => {
  const { written, clock, progress } = progressOn(true);
  progress.advance(1, 0.001);
  clock.nowMs = 2_000;
  progress.advance(500, 0.25);
  progress.advance(501, 0.2505);
  progress.end();
  expect(written).toEqual([
    '\r[#####---------------] 25 %, 500 decisions, 250 a second, 6 s left\u001b[K',
    '\r\u001b[K',
  ]);
});

it('the progress of what has no known end says how much is done', () => {
  const { written, clock, progress } = progressOn(true);
  clock.nowMs = 1_000;
  progress.advance(70);
  expect(written).toEqual(['\r70 decisions, 70 a second\u001b[K']);
});

it('the progress that goes into a file is a plain line every five seconds', () => {
  const { written, clock, progress } = progressOn(false);
  for (clock.nowMs = 1_000; clock.nowMs <= 10_000; clock.nowMs += 1_000) {
    progress.advance(clock.nowMs / 10, clock.nowMs / 20_000);
  }
  progress.end();
  expect(written).toEqual([
    '25 %, 500 decisions, 100 a second, 15 s left\n',
    '50 %, 1000 decisions, 100 a second, 10 s left\n',
  ]);
});
