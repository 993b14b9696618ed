import { expect, it } from 'vitest';
import type { Review } from '#shared/domain/admission-decision.ts';
import { checkAnnotations } from './check-annotations.ts';

const carrying = (annotations: Readonly<Record<string, string>>) => ({
  metadata: { name: 'j', annotations },
});
const judged = (
  now: Readonly<Record<string, string>>,
  before?: Readonly<Record<string, string>>,
) => {
  const review = {
    operation: before === undefined ? 'CREATE' : 'UPDATE',
    object: carrying(now),
    ...(before === undefined ? {} : { oldObject: carrying(before) }),
  } as unknown as Review;
  return checkAnnotations.decide(review, { facts: undefined, nowMs: 0 });
};

it.each([
  ['millrace.dev/rety', '1', 'did you mean millrace.dev/retry?'],
  ['millrace.dev/Retry', '1', 'did you mean millrace.dev/retry?'],
  ['millrace.dev/suspend-overide', 'Run', 'did you mean millrace.dev/suspend-override?'],
  ['millrace.dev/cancel', 'true', 'there are millrace.dev/retry and millrace.dev/suspend-override'],
  ['millrace.dev/suspend-override', 'yes', '"yes" is neither Run nor Hold; write Run, Hold'],
  ['millrace.dev/suspend-override', 'Run;until=18:00', '"18:00" is no time with its offset'],
])('%s: %s is refused with what to write', (key, value, words) => {
  for (const before of [undefined, {}]) {
    const answer = judged({ [key]: value, other: 'x' }, before);
    expect(answer).toMatchObject({ allowed: false, code: 422 });
    expect(answer).toHaveProperty('message', expect.stringContaining(words));
    expect(answer).toHaveProperty(
      'message',
      expect.stringContaining(`metadata.annotations[${key}]`),
    );
  }
});

it.each([
  ['an override in small letters', { 'millrace.dev/suspend-override': 'hold' }],
  ['any value of a retry', { 'millrace.dev/retry': 'after the fix' }],
  [
    'what policies and admission write',
    { 'millrace.dev/held': '{}', 'millrace.dev/submitter': '{}' },
  ],
  ['keys of others', { 'example.com/rety': '1' }],
])('%s is let pass', (_, annotations) => {
  expect(judged(annotations)).toEqual({ allowed: true });
});

it('a stored fault does not prevent a change of something else', () => {
  const stored = { 'millrace.dev/rety': '1' };
  expect(judged({ ...stored, 'millrace.dev/retry': '1' }, stored)).toEqual({ allowed: true });
});
