import { expect, it } from 'vitest';
import { goDurationMs } from './go-duration.ts';

it.each([
  ['0', 0],
  ['-0', 0],
  ['2h', 7_200_000],
  ['3m', 180_000],
  ['4s', 4_000],
  ['5ms', 5],
  ['6us', 0.006],
  // Both of Go's micro signs: U+00B5 and U+03BC.
  ['7\u{b5}s', 0.007],
  ['8\u{3bc}s', 0.008],
  ['9ns', 9e-6],
  ['1h2m3.5s', 3_723_500],
  ['1.s', 1_000],
  ['.25s', 250],
  ['12h0m0s', 43_200_000],
  ['+2s', 2_000],
  ['-2s', -2_000],
  [`${'0'.repeat(63)}s`, 0],
])('the duration %j is %d ms', (text, ms) => {
  expect(goDurationMs(text)).toBeCloseTo(ms, 9);
});

it.each([
  ...['', '-', '+', '--1s', '00', '1', '1d', 's', '.s', '1 s', ' 1s', '1s ', '1sx', '1.5.5s'],
  ...['1e3s', '1S', `${'0'.repeat(64)}s`],
])('Go reads no duration in %j', (text) => {
  expect(goDurationMs(text)).toBeUndefined();
});
