import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '#shared/domain/verdict.ts';
import { replyOf } from '#shared/runtime/function/verdict-reply.ts';
import type { Delivery } from './deliver.ts';
import {
  longestRetryAfterMs,
  verdictOfAnswer,
  verdictOfFailure,
  type HttpAnswer,
} from './verdicts.ts';

const nowMs = Date.parse('2026-01-01T00:00:00.000Z');
const verdict = (answer: Partial<HttpAnswer>): Delivery =>
  verdictOfAnswer({ status: 500, headers: {}, detail: '', ...answer }, nowMs);

describe('the verdict table', () => {
  it.each<[number, Delivery['kind']]>([
    [200, 'done'],
    [202, 'done'],
    [204, 'done'],
    [301, 'parked'],
    [400, 'parked'],
    [401, 'refused'],
    [403, 'parked'],
    [404, 'retry'],
    [405, 'parked'],
    [408, 'retry'],
    [409, 'later'],
    [410, 'parked'],
    [413, 'parked'],
    [415, 'parked'],
    [422, 'parked'],
    [429, 'later'],
    [431, 'parked'],
    [500, 'retry'],
    [502, 'retry'],
    [503, 'later'],
    [504, 'retry'],
    [599, 'retry'],
  ])('%d is %s', (status, kind) => {
    expect(verdict({ status }).kind).toBe(kind);
  });
  it('keeps the reason with the status', () => {
    expect(verdict({ status: 422, detail: 'no such type' })).toEqual({
      kind: 'parked',
      detail: '422: no such type',
    });
    expect(verdict({ status: 502 })).toEqual({ kind: 'retry', detail: '502' });
  });
});

describe('no answer', () => {
  const failed = (code: string, message = '') => Object.assign(new Error(message), { code });

  it.each<[string, Delivery['kind']]>([
    ['ECONNREFUSED', 'unreachable'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['ENOTFOUND', 'unreachable'],
    ['EAI_AGAIN', 'unreachable'],
    ['UND_ERR_CONNECT_TIMEOUT', 'unreachable'],
    ['ECONNRESET', 'retry'],
    ['UND_ERR_SOCKET', 'retry'],
  ])('with the code %s is %s', (code, kind) => {
    const detail = `the function was not reached: ${code}`;
    expect(verdictOfFailure(failed(code))).toEqual({ kind, detail });
  });
  it.each([
    [failed('ENOTFOUND', 'getaddrinfo f'), 'ENOTFOUND getaddrinfo f'],
    [new Error('other side closed'), 'other side closed'],
    ['odd', 'odd'],
  ])('is reported with code and message, as far as there are any: %s', (error, text) => {
    const detail = `the function was not reached: ${text}`;
    expect(verdictOfFailure(error)).toMatchObject({ detail });
  });
});

describe('202', () => {
  it('asks again after the wait of its header', () => {
    const headers = { 'millrace-requeue-after-ms': '1250' };
    expect(verdict({ status: 202, headers })).toEqual({ kind: 'requeue', afterMs: 1_250 });
  });
  it.each([200, 204])('alone asks again: %i with the same header is done', (status) => {
    const headers = { 'millrace-requeue-after-ms': '1250' };
    expect(verdict({ status, headers })).toEqual({ kind: 'done' });
  });
  it.each(['soon', '-5', '1.5', ''])('is a failure with "%s": a timer would be lost', (wait) => {
    const headers = { 'millrace-requeue-after-ms': wait };
    expect(verdict({ status: 202, headers })).toMatchObject({ kind: 'retry' });
  });
  it('is reported with no more of its header than a line of the log holds', () => {
    const headers = { 'millrace-requeue-after-ms': `${'x'.repeat(64)}yz` };
    expect(verdict({ status: 202, headers })).toEqual({
      kind: 'retry',
      detail: `millrace-requeue-after-ms is no number: ${'x'.repeat(64)}`,
    });
  });
});

describe('Retry-After', () => {
  it.each([
    ['7', 7_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['999999999', longestRetryAfterMs],
  ])('%s is honoured', (value, afterMs) => {
    for (const status of [409, 429, 503, 500]) {
      expect(verdict({ status, headers: { 'retry-after': value } })).toMatchObject({ afterMs });
    }
  });
  it.each(['soon', '-3', '1.5.2', ''])('"%s" counts as absent', (value) => {
    expect(verdict({ status: 503, headers: { 'retry-after': value } })).not.toHaveProperty(
      'afterMs',
    );
  });
});

it('reads back what a function answers', () => {
  const detail = fc.constantFrom('busy', 'no', 'MR_API_CONFLICT: moved on');
  const wholeSeconds = fc.integer({ min: 0, max: 300 }).map((seconds) => seconds * 1000);
  const verdicts: fc.Arbitrary<Verdict> = fc.oneof(
    fc.constant({ kind: 'done' as const }),
    fc.record({
      kind: fc.constant('requeue' as const),
      afterMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
    }),
    fc.record(
      { kind: fc.constantFrom('later' as const, 'retry' as const), afterMs: wholeSeconds, detail },
      { requiredKeys: ['kind', 'detail'] },
    ),
    fc.record({ kind: fc.constant('parked' as const), detail }),
  );
  fc.assert(
    fc.property(verdicts, (original) => {
      const { status, headers, detail: said = '' } = replyOf(original);
      const expected =
        'detail' in original ? { ...original, detail: `${status}: ${original.detail}` } : original;
      expect(verdictOfAnswer({ status, headers, detail: said }, nowMs)).toEqual(expected);
    }),
  );
});
