import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { readReview } from './review-request.ts';
import { configMap, requestOf, reviewBody } from './testing/review-body.ts';

const json = 'application/json';
const read = (changes: JsonObject = {}, envelope: JsonObject = {}) =>
  readReview(json, reviewBody(changes, envelope));

describe('a review', () => {
  it('of a creation has the object and who creates it', () => {
    expect(read()).toEqual({
      uid: 'u-review',
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', plural: 'configmaps' },
      subresource: '',
      namespace: 'default',
      name: 'a',
      object: configMap('a', { colour: 'blue' }),
      user: { username: 'ann', groups: ['system:authenticated'], extra: {} },
      dryRun: false,
    });
  });

  it('of a deletion has the old object only', () => {
    const review = read({ operation: 'DELETE', object: null, oldObject: configMap('a') });
    expect(review.oldObject).toEqual(configMap('a'));
    expect(review).not.toHaveProperty('object');
  });

  it('keeps its uid, its dry run and its objects, whatever they hold', () => {
    const data = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<string>);
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.boolean(), data, (uid, dryRun, held) => {
        fc.pre(!JSON.stringify(held).includes('__proto__'));
        const object = configMap('a', held);
        const review = read({ uid, dryRun, operation: 'UPDATE', object, oldObject: object });
        const plain = JSON.parse(JSON.stringify(object)) as unknown;
        expect(review).toMatchObject({ uid, dryRun });
        expect([review.object, review.oldObject]).toEqual([plain, plain]);
      }),
    );
  });

  it('may have unknown members', () => {
    expect(read({ later: { version: 2 } })).toEqual(read());
  });
});

describe('refused with what, where and why', () => {
  const extra = (value: unknown) => ({ userInfo: { username: 'ann', extra: { scopes: value } } });
  it.each<[string, JsonObject, string]>([
    ['no uid', { uid: '' }, 'request.uid must not have fewer than 1 characters'],
    ['another type', { userInfo: { groups: [7] } }, 'request.userInfo.groups.0 must be string'],
    ['a text for a list', extra('x') as JsonObject, 'request.userInfo.extra.scopes must be array'],
    ['a connection', { operation: 'CONNECT' }, 'request.operation must be equal to one of'],
    ['a creation of nothing', { object: null }, 'request.object is missing, which CREATE'],
    ['an update of nothing', { operation: 'UPDATE' }, 'request.oldObject is missing, which UPDATE'],
    ['a deletion of nothing', { operation: 'DELETE' }, 'request.oldObject is missing'],
    [
      'an object of another kind',
      { object: { ...configMap('a'), kind: 'Secret' } },
      'request.object is of "v1" "Secret", but request.kind says v1 ConfigMap',
    ],
    ['a text for an object', { object: 'x' }, 'request.object must'],
  ])('%s', (_what, changes, fault) => {
    expect(() => read(changes)).toThrow(fault);
  });

  it('another version, with what to register instead', () => {
    const envelope = { apiVersion: 'admission.k8s.io/v1beta1' };
    expect(() => read({}, envelope)).toThrow(
      'apiVersion is "admission.k8s.io/v1beta1", and only admission.k8s.io/v1 is answered: ' +
        'the webhook is to be registered with admissionReviewVersions: ["v1"]',
    );
    expect(() => read({}, { kind: 'Pod' })).toThrow('kind is "Pod", not "AdmissionReview"');
  });

  it.each([
    ['no JSON', '{', 'the body is not JSON'],
    ['a list', '[]', 'the body is no JSON object'],
    ['no request', '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}', 'is missing'],
    ['a member twice', '{"kind":"a","kind":"b"}', 'the body has the member "kind" twice'],
    ['a prototype', '{"a":{"__proto__":{}}}', 'the body has a member named __proto__'],
    ['depth', '['.repeat(100_000) + ']'.repeat(100_000), 'nested deeper than 64 levels'],
  ])('%s', (_what, text, fault) => {
    expect(() => readReview(json, Buffer.from(text))).toThrow(fault);
  });

  it('five faults of many', () => {
    const groups = Array.from({ length: 1_000 }, () => 7);
    const message = messageOf(() => read({ userInfo: { groups } }));
    expect(message.match(/must be string/g)).toHaveLength(5);
  });

  it.each([undefined, 'text/plain', 'application/json\t, x', 'application/jsonp'])(
    'the content type %s, as 415',
    (type) => {
      expect(() => readReview(type, reviewBody())).toThrow(
        expect.objectContaining({
          code: 'MR_REVIEW_MALFORMED',
          fields: expect.objectContaining({ status: 415 }) as unknown,
        }) as Error,
      );
    },
  );

  it('any text or a review that says the same', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (text) => {
        expect(() => readReview(json, Buffer.from(text))).toThrow(
          expect.objectContaining({ code: 'MR_REVIEW_MALFORMED' }) as Error,
        );
      }),
    );
  });
});

it('takes a charset beside the content type', () => {
  expect(readReview('application/json; charset=utf-8', reviewBody()).uid).toBe(requestOf()['uid']);
});

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
