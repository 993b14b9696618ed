/**
 * Our validator and the real API server judge one table of objects alike. Cycles are not in the
 * table, because CEL cannot traverse a graph. The unit test of the validator covers them.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { collectionPath, judgeAsCrd } from '#shared/api/testing/judge.ts';
import { verdictTable } from '#shared/api/testing/verdict-table.ts';
import type { Loose } from '#shared/api/testing/verdict-case.ts';
import { apiRequests, type Answer, type ApiRequests } from '#test/support/api-requests.ts';

const cluster = inject('cluster');
const namespace = 'api-verdicts';
const refusals = [400, 404, 422];

const pathOf = (object: Loose) => collectionPath(object, namespace);
const nameOf = (object: Loose) => (object['metadata'] as { name?: string }).name;
const accepts = (object: Loose) => judgeAsCrd(object).ok;

describe.skipIf(cluster === undefined)('the API server', () => {
  let api: ApiRequests;
  const create = (object: Loose) => api.post(`${pathOf(object)}?fieldValidation=Strict`, object);
  const createDry = (object: Loose) =>
    api.post(`${pathOf(object)}?fieldValidation=Strict&dryRun=All`, object);
  const applyDry = (object: Loose) =>
    api.apply(
      `${pathOf(object)}/${nameOf(object) ?? ''}?fieldManager=test&fieldValidation=Strict&dryRun=All`,
      object,
    );

  beforeAll(async () => {
    api = apiRequests(cluster!);
    await api.post('/api/v1/namespaces', { metadata: { name: namespace } });
  });
  afterAll(async () => {
    await api.delete(`/api/v1/namespaces/${namespace}`);
    await api.close();
  });

  const good = verdictTable.filter(({ faultAt }) => faultAt === undefined);
  const bad = verdictTable.filter(({ faultAt }) => faultAt !== undefined);

  it.each(good)('accepts $rule, as our validator does', async (entry) => {
    const { object } = entry;
    expect(accepts(object)).toBe(true);
    expect(await createDry(object)).toMatchObject({ status: 201, message: '' });
    if (nameOf(object) !== undefined) {
      const { otherwiseAppliedServerSide } = entry;
      const expected = otherwiseAppliedServerSide ? { status: 422 } : { status: 201, message: '' };
      expect(await applyDry(object)).toMatchObject(expected);
    }
    const created = await create(object);
    expect(created).toMatchObject({ status: 201, message: '' });
    await remove(created);
  });

  it.each(bad)('refuses $rule, as our validator does', async (entry) => {
    const { object } = entry;
    expect(accepts(object)).toBe(false);
    expect(refusals).toContain((await createDry(object)).status);
    expect(refusals).toContain((await create(object)).status);
    const applied = await applyDry(object);
    // A duplicate in a list-map fails in the merge, before validation.
    expect(entry.otherwiseAppliedServerSide ? [201] : [...refusals, 500]).toContain(applied.status);
  });

  async function remove({ body }: Answer): Promise<void> {
    const created = body as unknown as Loose;
    await api.delete(`${pathOf(created)}/${nameOf(created) ?? ''}`);
  }
});
