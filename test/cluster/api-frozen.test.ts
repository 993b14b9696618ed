/**
 * Once `status.startTime` is set, the API server itself refuses every change of what runs, even in
 * templates whose content it does not check. Fields that control the flow stay editable.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import {
  frozenDaemonJobChanges,
  openDaemonJobChanges,
  startedDaemonJobSpec,
} from '#shared/api/testing/daemon-job-cases.ts';
import {
  corrections,
  frozenChanges,
  openChanges,
  startedSpec,
} from '#shared/api/testing/frozen-cases.ts';
import { flowController, multiKueue } from '#shared/api/work/managed-by.ts';
import { daemonJob, flow, type Loose } from '#shared/api/testing/verdict-case.ts';
import { collectionPath } from '#shared/api/testing/judge.ts';
import { apiRequests, type ApiRequests } from '#test/support/api-requests.ts';

const cluster = inject('cluster');
const namespace = 'api-frozen';
const refusal = (object: string) => new RegExp(`frozen once the ${object} has started`);

const kinds = [
  {
    kind: 'JobFlow',
    called: 'flow',
    manifest: flow(startedSpec),
    frozen: frozenChanges,
    open: openChanges,
    corrected: corrections,
  },
  {
    kind: 'DaemonJob',
    called: 'DaemonJob',
    manifest: daemonJob(startedDaemonJobSpec),
    frozen: frozenDaemonJobChanges,
    open: openDaemonJobChanges,
  },
];

describe.skipIf(cluster === undefined)('on the API server', () => {
  let api: ApiRequests;

  beforeAll(async () => {
    api = apiRequests(cluster!);
    await api.post('/api/v1/namespaces', { metadata: { name: namespace } });
  });
  afterAll(async () => {
    await api.delete(`/api/v1/namespaces/${namespace}`);
    await api.close();
  });

  describe.each(kinds)('a $kind', ({ called, manifest, frozen, open, corrected }) => {
    const path = collectionPath(manifest, namespace);
    const object = `${path}/example`;
    const change = (spec: Loose) => api.mergePatch(`${object}?dryRun=All`, { spec });
    const start = (startTime: string | null) =>
      api.mergePatch(`${object}/status`, { status: { state: 'Running', startTime } });

    beforeAll(async () => {
      expect(await api.post(path, manifest)).toMatchObject({ message: '', status: 201 });
    });

    describe('that has started', () => {
      beforeEach(async () => {
        expect((await start('2026-11-21T10:00:00Z')).message).toBe('');
      });

      it.each(frozen)('refuses %s', async (_rule, spec) => {
        const answer = await change(spec);
        expect(answer.status).toBe(422);
        expect(answer.message).toMatch(refusal(called));
      });

      it.each(open)('takes a change of %s', async (_rule, spec) => {
        expect(await change(spec)).toMatchObject({ status: 200, message: '' });
      });
    });

    if (corrected !== undefined) {
      describe('that has started and is corrected (rule 16)', () => {
        it.each(corrected)('%s', async (_rule, status, spec, verdict) => {
          const startTime = '2026-11-21T10:00:00Z';
          const changed = { status: { jobStatusList: null, ...status, startTime } };
          expect((await api.mergePatch(`${object}/status`, changed)).message).toBe('');
          const answer = await change(spec);
          expect(answer.status).toBe(verdict === 'taken' ? 200 : 422);
          if (verdict === 'refused') {
            expect(answer.message).toMatch(refusal(called));
            expect(answer.message).toContain(
              'the steps that failed or were skipped may be corrected, all but their names and dependencies',
            );
          }
        });
      });
    }

    describe('that has not started', () => {
      beforeEach(async () => {
        expect((await start(null)).message).toBe('');
      });

      it.each([...frozen, ...open])('takes a change: %s', async (_rule, spec) => {
        expect(await change(spec)).toMatchObject({ status: 200, message: '' });
      });
    });
  });

  describe('a JobFlow that names its controller', () => {
    const path = collectionPath(flow(startedSpec), namespace);
    const named = (managedBy: string | null) =>
      flow({ ...startedSpec, managedBy }, { name: 'elsewhere' });

    it('is taken with one that is known', async () => {
      const unknown = await api.post(path, named('example.com/other'));
      expect(unknown).toMatchObject({ status: 422 });
      expect(unknown.message).toContain('spec.managedBy: Unsupported value');
      expect(await api.post(path, named(multiKueue))).toMatchObject({ status: 201, message: '' });
    });

    it.each([flowController, null])('keeps it: %s', async (managedBy) => {
      const answer = await api.mergePatch(`${path}/elsewhere`, { spec: { managedBy } });
      expect(answer).toMatchObject({ status: 422 });
      expect(answer.message).toContain('the controller of a flow cannot be changed');
    });
  });
});
