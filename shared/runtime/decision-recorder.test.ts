import { describe, expect, it } from 'vitest';
import type { DecisionRecord, Journal } from '#shared/journal/journal.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { oneJob } from './testing/one-job-function.ts';
import { restoreContents } from './journal-snapshot.ts';
import { caseNowMs, flowCase, type FlowCase } from './testing/flow-case.ts';

const secretJob = {
  job: {
    template: {
      spec: {
        containers: [
          { name: 'main', image: 'busybox', env: [{ name: 'TOKEN', value: 'hunter2' }] },
        ],
      },
    },
  },
};
const bigJob = { job: { ...secretJob.job, note: 'x'.repeat(600) } };

function journalled(spec: unknown = {}): FlowCase & { readonly journal: Journal } {
  const journal = createMemoryJournal({ clock: virtualClock(caseNowMs) });
  return { ...flowCase(() => ({ journal }), spec), journal };
}
const decisions = async (journal: Journal): Promise<DecisionRecord[]> =>
  (await journal.read(undefined, 100))
    .map(({ record }) => record)
    .filter((record) => record.kind === 'decision');

describe('a decision that writes', () => {
  it('is recorded with what it saw, what it wanted, why, and what became of it', async () => {
    const { process, item, journal } = journalled();
    await process(item);
    expect(await decisions(journal)).toMatchObject([
      {
        cause: 'u-job.7',
        function: 'flow-advance',
        version: '1.2.3',
        key: item.key,
        nowMs: caseNowMs,
        snapshot: { flow: { metadata: { name: 'flow-a' } }, jobs: [] },
        plan: [[{ kind: 'create' }], [{ kind: 'patchStatus' }]],
        reasons: [{ code: 'Running' }],
        outcome: 'applied',
      },
    ]);
  });
  it('can be decided again from its record, to the same plan', async () => {
    const { process, item, journal } = journalled(bigJob);
    await process(item);
    const [record] = await decisions(journal);
    const snapshot = await restoreContents(record?.snapshot ?? null, journal);
    const plan = await restoreContents(record?.plan ?? null, journal);
    const again = oneJob.decide(snapshot as never, { nowMs: record?.nowMs ?? 0, gates: {} });
    expect(again.plan).toEqual(plan);
  });
  it('leaves no environment value in the journal', async () => {
    const { process, item, journal, cluster } = journalled(secretJob);
    await process(item);
    expect(JSON.stringify(cluster.objects('Job'))).toContain('hunter2');
    const text = JSON.stringify(await decisions(journal));
    expect(text).toContain('TOKEN');
    expect(text).not.toContain('hunter2');
  });
  it('stores a large spec once, apart and redacted', async () => {
    const { process, item, journal } = journalled(bigJob);
    await process(item);
    const [record] = await decisions(journal);
    const hash = (record?.snapshot as { flow: { spec: { $content: string } } }).flow.spec.$content;
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    const content = JSON.stringify(await journal.getContent(hash));
    expect(content).toContain('xxx');
    expect(content).not.toContain('hunter2');
  });
});

it('is not recorded when nothing was to be done', async () => {
  const { process, item, journal } = journalled();
  await process(item);
  await process(item);
  await process(item);
  expect(await decisions(journal)).toHaveLength(1);
});

it('is recorded when only the requeue time changed, once', async () => {
  const { process, item, journal } = journalled({ requeueAtMs: caseNowMs + 1 });
  await process(item);
  await process(item);
  await process(item);
  expect((await decisions(journal)).map(({ requeueAtMs }) => requeueAtMs)).toEqual([caseNowMs + 1]);
});

it('is recorded with the error that its plan ended in', async () => {
  const journal = createMemoryJournal({ clock: virtualClock(caseNowMs) });
  const down = new MillraceError('MR_API_UNREACHABLE', { verb: 'patch', path: 'p', detail: 'd' });
  const { process, item } = flowCase(({ client }) => ({
    journal,
    client: { ...client, patch: () => Promise.reject(down) },
  }));
  await process(item);
  expect(await decisions(journal)).toMatchObject([{ outcome: down.message }]);
});

it('does not fail the work when the journal does not answer, and is counted', async () => {
  const unavailable = new MillraceError('MR_QUEUE_UNAVAILABLE', { address: 'a', detail: 'd' });
  const memory = createMemoryJournal({ clock: virtualClock(caseNowMs) });
  const { process, item, cluster, registry, lines } = flowCase(() => ({
    journal: { ...memory, append: () => Promise.reject(unavailable) },
  }));
  expect(await process(item)).toEqual({ kind: 'done' });
  expect(cluster.objects('Job')).toHaveLength(1);
  expect(await registry.metrics()).toContain(
    'millrace_journal_failures_total{function="flow-advance"} 1',
  );
  expect(lines.some(({ msg }) => msg === 'decision was not recorded')).toBe(true);
});
