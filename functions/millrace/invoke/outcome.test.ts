import { describe, expect, it } from 'vitest';
import type { Verdict } from '#shared/domain/verdict.ts';
import { AnswerTimeout } from '#shared/kube/whole-answer.ts';
import { replyOf } from '#shared/runtime/function/verdict-reply.ts';
import { exitCodeOf, outcomeOfAnswer, outcomeOfFailure, outcomeText } from './outcome.ts';

describe('what a function answers', () => {
  it.each<[Verdict, string, number]>([
    [{ kind: 'done' }, 'done', 0],
    [{ kind: 'requeue', afterMs: 12_000 }, 'requeued in 12 s', 0],
    [{ kind: 'requeue', afterMs: 249.5 }, 'requeued in 0.3 s', 0],
    [{ kind: 'later', detail: 'it is worked on' }, 'busy: 409: it is worked on', 1],
    [{ kind: 'later', afterMs: 1_000, detail: 'overloaded' }, 'busy: 503: overloaded', 1],
    [{ kind: 'retry', detail: 'the API is away' }, 'failed: 500: the API is away', 1],
    [{ kind: 'parked', detail: 'no right to list' }, 'parked: 422: no right to list', 9],
  ])('%j is said as "%s"', (verdict, text, exitCode) => {
    const { status, headers, detail = '' } = replyOf(verdict);
    const outcome = outcomeOfAnswer({ status, headers, detail, title: 'Not Done' }, 0);
    expect(outcomeText(outcome)).toBe(text);
    expect(exitCodeOf[outcome.verdict]).toBe(exitCode);
    expect(outcome.next === undefined).toBe(exitCode === 0);
  });
});

describe('a request that is none for the function', () => {
  it.each([
    [400, 'MR_EVENT_MALFORMED', 'send a CloudEvent 1.0 in binary or structured mode'],
    [422, 'MR_EVENT_UNROUTABLE', 'subscribe the function only to the types'],
    [401, 'MR_DELIVERY_UNAUTHENTICATED', 'give dispatcher and function the same'],
    [413, 'Too Large', 'check --url and the event'],
    [404, undefined, 'check --url and the event'],
    [302, undefined, 'check --url and the event'],
  ])('is refused with %i, and the code says what to do', (status, title, next) => {
    const answer = { status, headers: {}, detail: 'why', ...(title && { title }) };
    const outcome = outcomeOfAnswer(answer, 0);
    expect(outcome).toMatchObject({ verdict: 'refused', detail: `${status}: why` });
    expect(outcome.next).toContain(next);
    expect(exitCodeOf.refused).toBe(5);
  });
});

describe('without an answer', () => {
  it('the time that was waited is said, and the exit code is that of a timeout', () => {
    const outcome = outcomeOfFailure(new AnswerTimeout(), 30);
    expect(outcomeText(outcome)).toBe('unanswered: there was no answer within 30 s');
    expect([exitCodeOf[outcome.verdict], outcome.next]).toEqual([6, '--timeout 60']);
  });
  it('a failed connection is reported differently from one that breaks', () => {
    const fault = (code: string) => Object.assign(new Error('no'), { code });
    expect(outcomeText(outcomeOfFailure(fault('ECONNREFUSED'), 30))).toBe(
      'unreachable: ECONNREFUSED no',
    );
    expect(outcomeOfFailure(fault('ECONNRESET'), 30).verdict).toBe('failed');
    expect(exitCodeOf.unreachable).toBe(8);
  });
});
