import { expect, it } from 'vitest';
import type { AdmissionDecision } from '#shared/domain/admission-decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { reviewRecord } from './review-record.ts';
import { readReview } from './review-request.ts';
import { configMap, reviewBody } from './testing/review-body.ts';

const canary = 'canary-7f3a';
const about = { version: '1.2.3', answered: true };
const env = (value: string): JsonObject => ({ env: [{ name: 'TOKEN', value }] });
const object = { ...configMap('a'), spec: env(canary) };
const review = readReview('application/json', reviewBody({ object, oldObject: object }));
const record = (decision: AdmissionDecision, facts?: unknown) =>
  reviewRecord({ admission: { name: 'x' }, review, input: { facts, nowMs: 5 }, decision }, about);

it('holds what was decided on and what came of it', () => {
  const denied = { allowed: false, code: 403, reason: 'Forbidden', message: 'no' } as const;
  expect(record(denied, { frozen: true })).toMatchObject({
    kind: 'review',
    admission: 'x',
    version: '1.2.3',
    answered: true,
    review: { uid: 'u-review', operation: 'CREATE', user: { username: 'ann' } },
    facts: { frozen: true },
    nowMs: 5,
    decision: denied,
  });
});

it('holds no value of an environment variable, neither in objects nor facts nor the patch', () => {
  const changed = {
    ...object,
    data: { added: canary },
    spec: { ...env(`${canary}-new`), more: env(canary), added: 'yes' },
  };
  const made = record({ allowed: true, object: changed }, { seen: env(canary) });
  expect(JSON.stringify(made)).not.toContain(canary);
  expect(made.decision).toMatchObject({
    allowed: true,
    patch: expect.arrayContaining([{ op: 'add', path: '/spec/added', value: 'yes' }]) as unknown,
  });
});

it('has no patch when nothing was changed', () => {
  expect(record({ allowed: true, object }).decision).toEqual({ allowed: true });
});
