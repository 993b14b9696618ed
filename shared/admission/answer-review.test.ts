import { expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { Admission } from './admission.ts';
import { answerReview } from './answer-review.ts';
import { readReview } from './review-request.ts';
import { knownCluster } from './testing/known-cluster.ts';
import { configMap, reviewBody } from './testing/review-body.ts';
import { protectKept, stampAuthor } from './testing/sample-admissions.ts';

const reviewOf = (changes: JsonObject = {}) => readReview('application/json', reviewBody(changes));
function answer(
  admission: Admission,
  changes: JsonObject = {},
  labels: Record<string, string> = {},
  clock = virtualClock(1_000),
) {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels } };
  const options = { cluster: knownCluster([namespace]), clock, arrivedMs: 0, budgetMs: 2_000 };
  return answerReview(admission, reviewOf(changes), options);
}

it('decides by the object, the user and the time, without a look-up', async () => {
  const { response, run } = await answer(stampAuthor);
  expect(response['response']).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
  expect(run.input).toEqual({ facts: undefined, nowMs: 1_000 });
});

it('decides by what was looked up', async () => {
  const frozen = { 'example.com/frozen': 'true' };
  const { response } = await answer(protectKept, {}, frozen);
  expect(response['response']).toMatchObject({
    allowed: false,
    status: { message: 'the namespace default is frozen' },
  });
  const { response: other } = await answer(protectKept);
  expect(other['response']).toEqual({ uid: 'u-review', allowed: true });
});

it('decides by the old object when one is deleted', async () => {
  const deletion = {
    operation: 'DELETE',
    object: null,
    oldObject: configMap('a', { keep: 'yes' }),
  };
  const { response } = await answer(protectKept, deletion);
  expect(response['response']).toMatchObject({ status: { message: 'the ConfigMap a is kept' } });
});

it.each<[string, JsonObject]>([
  ['UPDATE of configmaps in version v1', { operation: 'UPDATE', oldObject: configMap('a') }],
  ['CREATE of configmaps/status in version v1', { subResource: 'status' }],
  [
    'CREATE of configmaps in version v2',
    { resource: { group: '', version: 'v2', resource: 'configmaps' } },
  ],
])('refuses to judge what it does not declare: %s', async (detail, changes) => {
  await expect(answer(stampAuthor, changes)).rejects.toMatchObject({
    code: 'MR_REVIEW_UNEXPECTED',
    fields: { admission: 'stamp-author', detail },
  });
});

it('aborts a look-up, by its signal, when the time is up (answer-2)', async () => {
  const clock = virtualClock();
  let given: AbortSignal | undefined;
  const waiting: Admission = {
    ...stampAuthor,
    lookUp: (_review, _reader, signal) => {
      given = signal;
      return new Promise<never>(() => undefined);
    },
    decide: () => ({ allowed: true }),
  };
  const late = expect(answer(waiting, {}, {}, clock)).rejects.toMatchObject({
    code: 'MR_REVIEW_LATE',
    fields: { admission: 'stamp-author', budgetMs: 2_000 },
  });
  await clock.advance(2_000);
  await late;
  expect(given?.aborted).toBe(true);
});

it('drops a decision that comes too late (answer-2)', async () => {
  const clock = virtualClock();
  const slow: Admission = {
    ...stampAuthor,
    decide: () => {
      void clock.advance(2_001);
      return { allowed: true };
    },
  };
  await expect(answer(slow, {}, {}, clock)).rejects.toMatchObject({ code: 'MR_REVIEW_LATE' });
});

it('makes no denial of an error (answer-1)', async () => {
  const broken: Admission = {
    ...stampAuthor,
    decide: () => {
      throw new TypeError('a bug');
    },
  };
  await expect(answer(broken)).rejects.toThrow('a bug');
});
