import { expect, it } from 'vitest';
import { newReviewToken, reviewTokens } from './review-token.ts';

it('accepts the tokens that are current when it is asked, and nothing else', () => {
  let current: readonly string[] = ['a'];
  const tokens = reviewTokens(() => current);
  expect(['a', 'b', '', 'aa'].map((each) => tokens.accepts(each))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  current = ['b', 'c'];
  expect(['a', 'b', 'c'].map((each) => tokens.accepts(each))).toEqual([false, true, true]);
  current = [];
  expect(tokens.accepts('')).toBe(false);
});

it('makes tokens that the API server takes as a part of a path, each another one', () => {
  const [first, second] = [newReviewToken(), newReviewToken()];
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(second).not.toBe(first);
});
