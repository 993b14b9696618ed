/**
 * Once `status.startTime` is set, the API server itself refuses every change of what runs, down to
 * the templates that it otherwise carries unseen; what steers the flow stays editable.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { frozenChanges, openChanges, startedSpec } from '#shared/api/testing/frozen-cases.ts';
import { flow, type Loose } from '#shared/api/testing/verdict-case.ts';
import { apiRequests, type ApiRequests } from '#test/support/api-requests.ts';

const cluster = inject('cluster');
const namespace = 'api-frozen';
const path = `/apis/api.practice.com/v1alpha1/namespaces/${namespace}/jobflows`;

describe.skipIf(cluster === undefined)('a JobFlow on the API server', () => {
  let api: ApiRequests;
  const object = `${path}/example`;
  const change = (spec: Loose) => api.mergePatch(`${object}?dryRun=All`, { spec });
  const start = (startTime: string | null) =>
    api.mergePatch(`${object}/status`, { status: { state: 'Running', startTime } });

  beforeAll(async () => {
    api = apiRequests(cluster!);
    await api.post('/api/v1/namespaces', { metadata: { name: namespace } });
    expect(await api.post(path, flow(startedSpec))).toMatchObject({ message: '', status: 201 });
  });
  afterAll(async () => {
    await api.delete(`/api/v1/namespaces/${namespace}`);
    await api.close();
  });

  describe('that has started', () => {
    beforeEach(async () => {
      expect((await start('2026-11-21T10:00:00Z')).message).toBe('');
    });

    it.each(frozenChanges)('refuses %s', async (_rule, spec) => {
      const answer = await change(spec);
      expect(answer.status).toBe(422);
      expect(answer.message).toMatch(/frozen once the flow has started/);
    });

    it.each(openChanges)('takes a change of %s', async (_rule, spec) => {
      expect(await change(spec)).toMatchObject({ status: 200, message: '' });
    });
  });

  describe('that has not started', () => {
    beforeEach(async () => {
      expect((await start(null)).message).toBe('');
    });

    it.each([...frozenChanges, ...openChanges])('takes a change: %s', async (_rule, spec) => {
      expect(await change(spec)).toMatchObject({ status: 200, message: '' });
    });
  });
});
