import { describe, expect, it } from 'vitest';
import type { Decision } from '#shared/domain/decision.ts';
import {
  asEventId,
  asResourceVersion,
  asUid,
  type Json,
  type JsonObject,
} from '#shared/domain/objects.ts';
import type { JournalBounds } from '#shared/journal/bounds.ts';
import { readDecisions, type ReadDecision } from '#shared/journal/decision-reader.ts';
import {
  journalFormat,
  type DecisionRecord,
  type Journal,
  type JournalRecord,
} from '#shared/journal/journal.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { oneJob } from '../testing/one-job-function.ts';
import { createDecisionRecorder, type DecisionRun } from './decision-recorder.ts';
import { caseNowMs, flowCase, type FlowCase } from '../testing/flow-case.ts';
import { resources } from '#shared/domain/resources.ts';

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

function journalled(spec: unknown = {}): FlowCase & { readonly journal: Journal } {
  const journal = createMemoryJournal({ clock: virtualClock(caseNowMs) });
  return { ...flowCase(() => ({ journal }), spec), journal };
}
const decisions = async (journal: Journal): Promise<DecisionRecord[]> =>
  (await journal.read(undefined, 100))
    .map(({ record }) => record)
    .filter((record) => record.kind === 'decision');
const readAll = async (journal: Journal): Promise<readonly ReadDecision[]> => {
  const reads: ReadDecision[] = [];
  for await (const read of readDecisions(journal)) reads.push(read);
  return reads;
};

describe('a decision that writes', () => {
  it('is recorded with what it saw, what it wanted, why, and what became of it', async () => {
    const { process, item, journal } = journalled();
    await process(item);
    expect(await readAll(journal)).toMatchObject([
      {
        kind: 'restored',
        decision: {
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
      },
    ]);
  });
  it('can be decided again from its record, to the same plan', async () => {
    const { process, item, journal } = journalled(secretJob);
    await process(item);
    const [read] = await readAll(journal);
    if (read?.kind !== 'restored') throw new Error('not restored');
    const { snapshot, plan, nowMs, isUnderLoad } = read.decision;
    expect(oneJob.decide(snapshot as never, { nowMs, isUnderLoad }).plan).toEqual(plan);
  });
  it('leaves no environment value in the journal', async () => {
    const { process, item, journal, cluster } = journalled(secretJob);
    await process(item);
    expect(JSON.stringify(cluster.objects('Job'))).toContain('hunter2');
    const text = JSON.stringify(await decisions(journal));
    expect(text).toContain('TOKEN');
    expect(text).not.toContain('hunter2');
  });
});

const key = { apiVersion: 'v1', kind: 'JobFlow', namespace: 'default', name: 'a', uid: asUid('u') };
const emptyPatch = {
  ...({ kind: 'patchStatus', resource: resources.JobFlow, target: key, uid: key.uid } as const),
  resourceVersion: asResourceVersion('1'),
  status: {},
};

/** A run with this snapshot, which writes something unless `change` says otherwise. */
function runWith(snapshot: Json, change: Partial<Decision> = {}): DecisionRun<Json> {
  return {
    item: { function: 'flow-advance', key, cause: asEventId('u.1') },
    snapshot,
    input: { nowMs: 0 },
    decision: { plan: [[emptyPatch]], reasons: [], ...change },
    outcome: 'applied',
    durationMs: { observe: 0, decide: 0, apply: 0 },
  };
}

function recorderOn(bounds: Partial<JournalBounds> = {}) {
  const clock = virtualClock(1_000_000);
  const journal = createMemoryJournal({ clock, bounds });
  const fn = { name: 'flow-advance' } as const;
  const recorder = (through: Pick<Journal, 'append'> = journal) =>
    createDecisionRecorder<Json>({ fn, journal: through, version: '1' });
  return { clock, journal, recorder, record: recorder() };
}
const eventRecord = (n: number): JournalRecord => ({
  kind: 'event',
  format: journalFormat,
  atMs: n,
  event: {
    ...{ id: asEventId(`u.${n}`), source: '/cluster', type: 'changed', subject: '/jobs/a' },
    ...{ ...key, resourceVersion: asResourceVersion(String(n)) },
  },
});
const jobs = (count: number, changed = -1): Json =>
  Array.from({ length: count }, (_, n) => ({
    name: `job-${n}`,
    labels: { note: 'x'.repeat(200) },
    ready: n <= changed,
  }));
const standsAlone = async (journal: Journal): Promise<readonly boolean[]> =>
  (await decisions(journal)).map(({ base }) => base === undefined);

describe('the records of one object', () => {
  it('keep a snapshot that is no object as it is', async () => {
    const { journal, record } = recorderOn();
    for (const snapshot of [['a'], ['a', 'b'], 'c']) await record(runWith(snapshot));
    const reads = await readAll(journal);
    expect(reads.map((read) => read.kind === 'restored' && read.decision.snapshot)).toEqual([
      ['a'],
      ['a', 'b'],
      'c',
    ]);
  });

  it('have only the changes since the one before: their size does not depend on that of the snapshot', async () => {
    const sizes: number[] = [];
    for (const count of [10, 100, 1_000]) {
      const { journal, record } = recorderOn();
      await record(runWith({ jobs: jobs(count) }));
      await record(runWith({ jobs: jobs(count, 0) }));
      const [, second] = await decisions(journal);
      sizes.push(JSON.stringify(second?.snapshot).length);
    }
    expect(Math.max(...sizes)).toBeLessThan(100);
  });

  it('stand for themselves again when the differences add up to the size of the first', async () => {
    const { journal, record } = recorderOn();
    for (let n = 0; n < 40; n += 1) await record(runWith({ jobs: jobs(20, n % 20) }));
    const alone = await standsAlone(journal);
    expect(alone[0]).toBe(true);
    const count = alone.filter(Boolean).length;
    expect(count).toBeGreaterThan(1);
    expect(count).toBeLessThan(8);
    expect((await readAll(journal)).map(({ kind }) => kind)).toEqual(alone.map(() => 'restored'));
  });

  it('stand for themselves after an append that failed, whether or not it took effect', async () => {
    for (const tookEffect of [true, false]) {
      const { journal, recorder } = recorderOn();
      let fails = false;
      const record = recorder({
        append: async (records) => {
          const appended = fails && !tookEffect ? { bytes: 0 } : await journal.append(records);
          if (fails) throw new Error('no answer');
          return appended;
        },
      });
      await record(runWith({ jobs: jobs(20) }));
      fails = true;
      await expect(record(runWith({ jobs: jobs(20, 1) }))).rejects.toThrow('no answer');
      fails = false;
      await record(runWith({ jobs: jobs(20, 2) }));
      expect((await standsAlone(journal)).at(-1)).toBe(true);
    }
  });

  it('never stand on one record twice: of two at once the second stands for itself', async () => {
    const { journal, record } = recorderOn();
    await record(runWith({ jobs: jobs(20) }));
    await Promise.all([1, 2].map((n) => record(runWith({ jobs: jobs(20, n) }))));
    expect(await standsAlone(journal)).toEqual([true, false, true]);
  });

  it('stand for themselves after the store was emptied, also when its clock was set back', async () => {
    for (const stepMs of [0, 1_000, -500_000]) {
      const { clock, journal, record } = recorderOn();
      await record(runWith({ jobs: jobs(20) }));
      journal.clear();
      clock.step(stepMs);
      await clock.advance(1);
      await record(runWith({ jobs: jobs(20, 1) }));
      await record(runWith({ jobs: jobs(20, 2) }));
      await record(runWith({ jobs: jobs(20, 3) }));
      const reads = await readAll(journal);
      expect(reads.map(({ kind }) => kind)).toEqual(['cutOff', 'restored', 'restored']);
      expect(reads[0]).toMatchObject({
        why: expect.stringContaining('not replayable from here') as string,
      });
    }
  });

  it('stand for themselves before the journal drops what they stand on', async () => {
    const { clock, journal, record } = recorderOn({ maxBytes: 60_000 });
    const restored: boolean[] = [];
    for (let n = 0; n < 400; n += 1) {
      await clock.advance(10);
      await journal.append([eventRecord(n)]);
      if (n % 5 === 0) await record(runWith({ jobs: jobs(20, n % 20) }));
      const last = (await readAll(journal)).at(-1);
      if (n >= 200) restored.push(last?.kind === 'restored');
    }
    expect(restored.every(Boolean)).toBe(true);
  });

  it('of two processes are kept apart', async () => {
    const { journal, recorder } = recorderOn();
    const writers = [recorder(), recorder()];
    for (let n = 0; n < 12; n += 1) await writers[n % 2]?.(runWith({ n, jobs: jobs(20) }));
    const reads = await readAll(journal);
    expect(reads.map((read) => (read.kind === 'restored' ? read.decision.snapshot : read))).toEqual(
      Array.from({ length: 12 }, (_, n) => ({ n, jobs: jobs(20) })),
    );
  });

  it.each([
    ['uid', { uid: 'new', generation: 1 }],
    ['generation', { uid: 'old', generation: 2 }],
  ])('have the whole spec when the object has another %s', async (_, metadata) => {
    const { journal, record } = recorderOn();
    const flowWith = (meta: JsonObject, value: string): Json => ({
      flow: { metadata: meta, spec: { note: value } },
      jobs: jobs(20),
    });
    await record(runWith(flowWith({ uid: 'old', generation: 1 }, 'before')));
    await record(runWith(flowWith(metadata, 'after')));
    const last = (await readAll(journal)).at(-1);
    expect(last).toMatchObject({ decision: { snapshot: { flow: { spec: { note: 'after' } } } } });
  });

  it('have a change of an environment value without either value', async () => {
    const { journal, record } = recorderOn();
    const withValue = (value: string) => ({ jobs: jobs(20), env: [{ name: 'A', value }], n: 1 });
    await record(runWith(withValue('canary-one')));
    await record(runWith(withValue('canary-two')));
    expect(JSON.stringify(await decisions(journal))).not.toContain('canary');
    const reads = await readAll(journal);
    expect(reads).toMatchObject(
      [1, 2].map(() => ({
        decision: { snapshot: { env: [{ name: 'A', value: '[redacted]' }] } },
      })),
    );
  });
});

it('is recorded when a requeue is taken back, and when the same is asked for once more', async () => {
  const { journal, record } = recorderOn();
  const nothing = { plan: [] };
  for (const decision of [{ requeueAtMs: 5 }, {}, {}, { requeueAtMs: 5 }, { requeueAtMs: 5 }]) {
    await record(runWith({}, { ...nothing, ...decision }));
  }
  expect((await decisions(journal)).map(({ requeueAtMs }) => requeueAtMs)).toEqual([
    5,
    undefined,
    5,
  ]);
});

it('is recorded with the objects that it rests on', async () => {
  const { journal, record } = recorderOn();
  const restsOn: Decision['restsOn'] = [
    {
      resource: resources.JobFlow,
      target: { namespace: 'team-a', name: 'etl' },
      uid: asUid('u-1'),
      resourceVersion: asResourceVersion('7'),
    },
  ];
  await record(runWith({}, { plan: [], requeueAtMs: 5, restsOn }));
  expect(await decisions(journal)).toMatchObject([{ restsOn }]);
});

it('is not recorded when its run was called off before the first write', async () => {
  const stop = new AbortController();
  const journal = createMemoryJournal({ clock: virtualClock(caseNowMs) });
  const { process, item, cluster, registry } = flowCase(({ reader }) => ({
    journal,
    reader: {
      ...reader,
      listByOwner: (...args) => {
        stop.abort();
        return reader.listByOwner(...args);
      },
    },
  }));
  expect(await process(item, stop.signal)).toMatchObject({ kind: 'later' });
  expect(cluster.objects('Job')).toEqual([]);
  expect(await decisions(journal)).toEqual([]);
  expect(await registry.metrics()).not.toContain('outcome="aborted"');
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

it('is recorded with the code and the words of the error that its plan ended in', async () => {
  const journal = createMemoryJournal({ clock: virtualClock(caseNowMs) });
  const down = new MillraceError('MR_API_UNREACHABLE', { verb: 'patch', path: 'p', detail: 'd' });
  const { process, item } = flowCase(({ client }) => ({
    journal,
    client: { ...client, patch: () => Promise.reject(down) },
  }));
  await process(item);
  expect(await decisions(journal)).toMatchObject([
    { outcome: 'MR_API_UNREACHABLE', detail: down.message },
  ]);
});

it('is recorded with the write that was refused, and why', async () => {
  const journal = createMemoryJournal({ clock: virtualClock(caseNowMs) });
  const { process, item } = flowCase(({ client }) => ({
    journal,
    client: {
      ...client,
      create: () =>
        Promise.reject(
          new MillraceError('MR_API_INVALID', { verb: 'create', path: 'p', detail: 'too large' }),
        ),
    },
  }));
  await process(item);
  expect((await decisions(journal))[0]).toMatchObject({
    outcome: 'rejected',
    detail: expect.stringContaining('flow-a-only: Invalid: ') as unknown,
  });
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
