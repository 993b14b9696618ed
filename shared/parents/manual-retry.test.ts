import { describe, expect, it } from 'vitest';
import { pendingRetry, retryFinding } from './manual-retry.ts';

const asking = (value: string) => ({ annotations: { 'millrace.dev/retry': value } });

describe('a retry by hand is pending', () => {
  it('when the annotation has a value that the status does not name', () => {
    expect(pendingRetry(asking('2'), { retryNonce: '1' })).toBe('2');
    expect(pendingRetry(asking('2'), undefined)).toBe('2');
  });

  it.each([
    ['is absent', {}, {}],
    ['is taken away', {}, { retryNonce: '1' }],
    ['is empty', asking(''), {}],
    ['was emptied', asking(''), { retryNonce: '1' }],
    ['was handled', asking('1'), { retryNonce: '1' }],
  ])('but not when it %s', (_, metadata, status) => {
    expect(pendingRetry(metadata, status)).toBeUndefined();
  });

  it('once for a value that is too long to be recorded whole', () => {
    const nonce = pendingRetry(asking('x'.repeat(5_000)), {});
    expect(nonce).toHaveLength(1_024);
    expect(pendingRetry(asking('x'.repeat(5_000)), { retryNonce: nonce! })).toBeUndefined();
  });
});

describe('the condition RetryRefused', () => {
  const refusal = { reason: 'NotFailed', message: 'no step has failed' };

  it('says that a retry is under way where an earlier one was refused', () => {
    expect(retryFinding({ nonce: '2', isNew: true })).toMatchObject([
      { onlyWhenKnown: true, isTrue: false, reason: 'Accepted', message: 'the retry is under way' },
    ]);
  });

  it('says why a retry is refused', () => {
    expect(retryFinding({ nonce: '2', isNew: false, refusal })).toMatchObject([
      { isTrue: true, ...refusal },
    ]);
  });

  it('is left as it is when nothing new is asked for', () => {
    expect(retryFinding({ nonce: '2', isNew: false })).toEqual([]);
  });
});
