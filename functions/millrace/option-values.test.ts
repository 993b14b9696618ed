import { expect, test } from 'vitest';
import { seconds } from './option-values.ts';

test('a length of time is in seconds, or has a unit', () => {
  expect(['90', '90s', '10m', '2h', '1d'].map(seconds)).toEqual([90, 90, 600, 7_200, 86_400]);
});

test.each(['', '0', 'm', '1.5h', '10 m', '10x', '-1'])('"%s" is no length of time', (text) => {
  expect(() => seconds(text)).toThrow('write whole seconds, or such as 90s, 10m, 2h or 3d');
});
