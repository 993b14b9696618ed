/** Reviews on Redis: they are recorded after their answer. Without Redis they are lost, and no answer waits. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { Agent, request } from 'undici';
import { reviewBody } from '#shared/admission/testing/review-body.ts';
import { stampAuthor } from '#shared/admission/testing/sample-admissions.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { asUid } from '#shared/domain/objects.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { silentLog } from '#shared/redis/log.ts';
import { redisReviewJournal } from '#shared/runtime/admission/review-journal.ts';
import { serveAdmissions } from '#shared/runtime/testing/served-admissions.ts';
import { freePort } from '#test/support/free-ports.ts';
import { describeWithRedis } from '#test/support/require.ts';

/** With the prefix of a cluster of its own, so that no other keys are read. */
function clusterOf(uid: string) {
  const metadata = { name: 'kube-system', uid: asUid(uid) } as KubeObject['metadata'];
  return { get: async () => ({ apiVersion: 'v1', kind: 'Namespace', metadata }) };
}

/** Answered by an admission that records its reviews in this Redis. */
async function reviewed(url: string, uid: string) {
  const journal = redisReviewJournal({
    ...{ url, insecure: false, client: clusterOf(uid), log: silentLog },
  });
  const served = await serveAdmissions({ admissions: [stampAuthor], recorder: journal });
  const dispatcher = new Agent({ connect: { ca: served.ca } });
  const answer = await request(`${served.url}/stamp-author`, {
    ...{ method: 'POST', dispatcher, body: reviewBody() },
    headers: { 'content-type': 'application/json' },
  });
  const { response } = (await answer.body.json()) as { readonly response: object };
  const lost = () => served.registry.getSingleMetricAsString('millrace_review_records_lost_total');
  const stop = async () => {
    await dispatcher.close();
    await served.stop();
    await journal.close();
  };
  return { response, lost, stop };
}

describeWithRedis('the journal of reviews', (url) => {
  it('has what was asked and answered, apart from the journal of decisions', async () => {
    const uid = randomUUID();
    const { response, lost, stop } = await reviewed(url, uid);
    expect(response).toMatchObject({ allowed: true });
    const open = (prefix: string) => createRedisJournal({ url, prefix, log: silentLog });
    const reviews = open(`{millrace:${uid}}:reviews`);
    const decisions = open(`{millrace:${uid}}`);
    const kept = async () => (await reviews.read(undefined, 10)).map(({ record }) => record);
    await expect.poll(kept).toMatchObject([
      {
        kind: 'review',
        admission: 'stamp-author',
        review: { uid: 'u-review', user: { username: 'ann' } },
        decision: { allowed: true },
        answered: true,
      },
    ]);
    expect(await decisions.read(undefined, 10)).toEqual([]);
    expect(await lost()).not.toMatch(/\} [1-9]/);
    await stop();
    await Promise.all([reviews.close(), decisions.close()]);
  });

  it('costs no answer when Redis is away, and counts what it lost', async () => {
    const away = `redis://127.0.0.1:${await freePort()}`;
    const { response, lost, stop } = await reviewed(away, randomUUID());
    expect(response).toMatchObject({ allowed: true });
    await expect.poll(lost).toContain('millrace_review_records_lost_total{reason="failed"} 1');
    await stop();
  });
});
