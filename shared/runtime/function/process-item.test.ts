import { describe, expect, it } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { caseNowMs, flowCase } from '../testing/flow-case.ts';
import { oneJob } from '../testing/one-job-function.ts';
import { type Change, refusal, failing, phaseOf } from '../testing/item-cases.ts';

it('observes, decides and applies', async () => {
  const { cluster, process, item } = flowCase();
  expect(await process(item)).toEqual({ kind: 'done' });
  expect(phaseOf(cluster)).toBe('Running');
  expect(cluster.objects('Job')).toHaveLength(1);
});

it('counts each write by function, kind and what was done', async () => {
  const { process, item, registry } = flowCase();
  await process(item);
  const metrics = await registry.metrics();
  for (const [done, resource] of [
    ['create', 'Job'],
    ['patchStatus', 'JobFlow'],
  ]) {
    expect(metrics).toContain(
      `millrace_writes_total{function="flow-advance",done="${done}",resource="${resource}"} 1`,
    );
  }
});

it('counts what was written before a fault', async () => {
  const { process, item, registry } = flowCase(failing('patch', refusal('MR_API_RETRYABLE')));
  expect(await process(item)).toMatchObject({ kind: 'retry' });
  const metrics = await registry.metrics();
  expect(metrics).toContain(
    'millrace_writes_total{function="flow-advance",done="create",resource="Job"} 1',
  );
  expect(metrics).not.toContain('done="patchStatus"');
});

it('writes nothing the second time', async () => {
  const { cluster, process, item, registry } = flowCase();
  await process(item);
  const version = cluster.objects('JobFlow')[0]?.metadata.resourceVersion;
  expect(await process(item)).toEqual({ kind: 'done' });
  expect(cluster.objects('JobFlow')[0]?.metadata.resourceVersion).toBe(version);
  expect(await registry.metrics()).toContain(
    'millrace_decisions_total{function="flow-advance",outcome="unchanged"} 1',
  );
});

it('writes under the name of its function', async () => {
  const managers: unknown[] = [];
  const { process, item } = flowCase(({ client }) => ({
    client: {
      ...client,
      create: (resource, object, options) => {
        managers.push(options?.fieldManager);
        return client.create(resource, object, options);
      },
      patch: (resource, name, patch, options) => {
        managers.push(options.fieldManager);
        return client.patch(resource, name, patch, options);
      },
    },
  }));
  await process(item);
  expect(managers).toEqual(['millrace.dev/flow-advance', 'millrace.dev/flow-advance']);
});

it('marks what it creates with the event that led to it', async () => {
  const { cluster, process, item } = flowCase();
  await process(item);
  expect(cluster.objects('Job')[0]?.metadata.annotations).toEqual({
    'millrace.dev/caused-by': 'u-job.7',
  });
});

it('is done with an object that is gone, or another one under its name', async () => {
  const { process, item, cluster } = flowCase();
  const other = { ...item, key: { ...item.key, uid: 'another' as never } };
  expect(await process(other)).toEqual({ kind: 'done' });
  expect(cluster.objects('Job')).toHaveLength(0);
});

it('is done with an object that its status write finds gone, though a later look is due', async () => {
  const goneOnceCreated: Change = ({ client }) => ({
    client: {
      ...client,
      create: async (...args) => {
        const created = await client.create(...args);
        await client.delete(resources.JobFlow, { namespace: 'default', name: 'flow-a' });
        return created;
      },
    },
  });
  const { process, item } = flowCase(goneOnceCreated, { requeueAtMs: caseNowMs });
  expect(await process(item)).toEqual({ kind: 'done' });
});

it.each([
  [500, 500],
  [-3_000, 0],
])(
  'asks for a requeue when the decision does: due in %d ms, after %d ms',
  async (dueMs, afterMs) => {
    const { process, item } = flowCase(undefined, { requeueAtMs: caseNowMs + dueMs });
    expect(await process(item)).toEqual({ kind: 'requeue', afterMs });
  },
);

describe('what is due soon where an answer sets the clock back (pass-6)', () => {
  const setBack =
    (byMs: number): Change =>
    ({ reader }) => {
      const clock = virtualClock(caseNowMs + byMs);
      const get: Reader['get'] = (...args) => {
        clock.step(-byMs);
        return reader.get(...args);
      };
      return { clock, reader: { ...reader, get } };
    };

  it.each([
    ['is looked at half a second later', 3, 20, 500],
    ['is looked at in its time when that is later', 700, 20, 700],
    ['is looked at at once when it is due all the same', 0, 20, 0],
    ['is looked at in its time when only a fraction was rounded', 3, 1, 3],
  ])('%s', async (_, dueMs, byMs, afterMs) => {
    const { process, item } = flowCase(setBack(byMs), { requeueAtMs: caseNowMs + dueMs });
    expect(await process(item)).toEqual({ kind: 'requeue', afterMs });
  });
});

describe('a function that reads from the API server itself', () => {
  /** Another replica starts, records and removes a Job while the list of Jobs takes so long. */
  const overtaken =
    (listMs: number, phase = 'Running'): Change =>
    ({ client, reader }) => {
      const clock = {
        ...{ now: () => caseNowMs, nowMs: 5_000, monotonicMs: () => clock.nowMs },
        sleep: async () => undefined,
      };
      const name = { namespace: 'default', name: 'flow-a' };
      let asked = 0;
      return {
        clock,
        reader: {
          ...reader,
          get: (...args) => {
            asked += 1;
            reads = asked;
            return reader.get(...args);
          },
          listByOwner: async (...args) => {
            const jobs = await reader.listByOwner(...args);
            clock.nowMs += listMs;
            if (listMs > 1_000) {
              const status = { phase };
              await client.patch(resources.JobFlow, name, { status }, { type: 'merge' });
            }
            return jobs;
          },
        },
      };
    };
  let reads = 0;

  it('asks once more before it creates when its reads took long', async () => {
    const { cluster, process, item } = flowCase(overtaken(1_001));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(cluster.objects('Job')).toEqual([]);
  });

  it('leaves it for later when it is overtaken time and again', async () => {
    const { cluster, process, item } = flowCase(overtaken(1_001, 'Pending'));
    expect(await process(item)).toEqual({ kind: 'later', detail: 'the view is behind' });
    expect(cluster.objects('Job')).toEqual([]);
  });

  it('asks for nothing twice when they did not', async () => {
    const { cluster, process, item } = flowCase(overtaken(1_000));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(cluster.objects('Job')).toHaveLength(1);
    expect(reads).toBe(1);
  });
});

it('decisions are under load only while four or more are under way', async () => {
  const underLoad: boolean[] = [];
  let proceed = (): void => undefined;
  const all = new Promise<void>((resolve) => (proceed = resolve));
  const { cluster, process, item } = flowCase(({ reader }) => ({
    reader: {
      ...reader,
      get: async (...asked) => {
        await all;
        return reader.get(...asked);
      },
    },
    fn: {
      ...oneJob,
      decide: (_, input) => {
        underLoad.push(input.isUnderLoad === true);
        return { plan: [], reasons: [] };
      },
    },
  }));
  const { apiVersion, kind } = item.key;
  const others = ['flow-b', 'flow-c', 'flow-d'].map((name) => {
    const { metadata } = cluster.put({
      apiVersion,
      kind,
      metadata: { name, namespace: 'default' },
    });
    return { ...item, key: { ...item.key, name, uid: metadata.uid } };
  });
  const three = others.map((other) => process(other));
  proceed();
  await Promise.all(three);
  expect(underLoad).toEqual([false, false, false]);
  underLoad.length = 0;
  await Promise.all([item, ...others].map((each) => process(each)));
  expect(underLoad[0]).toBe(true);
  underLoad.length = 0;
  await process(item);
  expect(underLoad).toEqual([false]);
});

it.each([
  ['10 ms at most not at all', 10, []],
  ['longer four times as long', 11, [44]],
  ['very long half a second', 600, [500]],
])('gives way after a decision that took %s (pass-8)', async (_, decidingMs, expected) => {
  const slept: number[] = [];
  let nowMs = 5_000;
  const { process, item } = flowCase(() => ({
    clock: {
      now: () => caseNowMs,
      monotonicMs: () => nowMs,
      sleep: async (ms) => void slept.push(ms),
    },
    fn: {
      ...oneJob,
      decide: (...asked) => {
        nowMs += decidingMs;
        return oneJob.decide(...asked);
      },
    },
  }));
  expect(await process(item)).toEqual({ kind: 'done' });
  expect(slept).toEqual(expected);
});
