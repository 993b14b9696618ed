/** A pass reads some objects from views, and asks the API server for others. */
import { describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import { asUid, type JsonObject, type Resource } from '#shared/domain/objects.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { caseNowMs, flowCase } from '../testing/flow-case.ts';
import { oneJob, type OneJobSnapshot } from '../testing/one-job-function.ts';
import type { StoredCluster } from '../testing/stored-cluster.ts';
import type { ItemProcessorOptions } from './process-item.ts';

type Change = (cluster: StoredCluster) => Partial<ItemProcessorOptions<OneJobSnapshot>>;

const phaseOf = (cluster: StoredCluster) =>
  (cluster.objects('JobFlow')[0]?.status as JsonObject | undefined)?.['phase'];

const unreachable = new MillraceError('MR_API_UNREACHABLE', { verb: 'v', path: 'p', detail: 'x' });

describe('a view that is behind', () => {
  const behind = ({ reader }: StoredCluster) => {
    const old = reader.get(resources.JobFlow, { namespace: 'default', name: 'flow-a' });
    return {
      reader: { ...reader, get: () => old, listByOwner: async () => [] },
      freshReader: reader,
    };
  };
  it('never leads to a create: what ran and was removed is not started again', async () => {
    const { cluster, process, item } = flowCase(behind);
    const status = { phase: 'Running' };
    const name = { namespace: 'default', name: 'flow-a' };
    await cluster.client.patch(resources.JobFlow, name, { status }, { type: 'merge' });
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(cluster.objects('Job')).toEqual([]);
  });
  it('never leads to a create for an object that is gone', async () => {
    const { cluster, process, item } = flowCase(behind);
    await cluster.client.delete(resources.JobFlow, { namespace: 'default', name: 'flow-a' });
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(cluster.objects('Job')).toEqual([]);
  });
});

describe('an answer that was long on its way', () => {
  /** Each look after the decision takes as long as given. The next look sees changes made meanwhile. */
  const slowLooks =
    (looksMs: readonly number[], meanwhile: (cluster: StoredCluster) => Promise<unknown>): Change =>
    (cluster) => {
      const clock = {
        ...{ now: () => caseNowMs, nowMs: 5_000, monotonicMs: () => clock.nowMs },
        sleep: async () => undefined,
      };
      let looks = 0;
      const get = async (...asked: Parameters<typeof cluster.reader.get>) => {
        const object = await cluster.reader.get(...asked);
        clock.nowMs += looksMs[looks] ?? 0;
        looks += 1;
        if (looks === 1) await meanwhile(cluster);
        asks = looks;
        return object;
      };
      return { clock, freshReader: { ...cluster.reader, get } };
    };
  let asks = 0;
  const nothing = async () => undefined;
  const byAnother = ({ client }: StoredCluster) => {
    const name = { namespace: 'default', name: 'flow-a' };
    const status = { phase: 'Running' };
    return client.patch(resources.JobFlow, name, { status }, { type: 'merge' });
  };

  it('is asked for once more before a create: another replica may have gone on meanwhile', async () => {
    const { cluster, process, item } = flowCase(slowLooks([1_001], byAnother));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(cluster.objects('Job')).toEqual([]);
  });
  it.each([
    ['a second at most is enough', [1_000], 1],
    ['longer is followed by one more', [1_001, 1_000], 2],
    ['longer twice is believed: an API server that is slow stops nothing', [1_001, 30_000], 2],
  ])('%s', async (_, looksMs, asked) => {
    const { cluster, process, item } = flowCase(slowLooks(looksMs, nothing));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(cluster.objects('Job')).toHaveLength(1);
    expect(asks).toBe(asked);
  });
});

describe('a view that own writes show to be a moment behind at most', () => {
  const shown = (agoMs: number): Change => {
    return ({ reader }) => ({
      reader: {
        ...reader,
        listByOwner: async () => [],
        currentAsOfMs: () => virtualClock(caseNowMs).monotonicMs() - agoMs,
      },
      freshReader: { ...reader, get: () => Promise.reject(unreachable) },
    });
  };
  it('is believed: nothing is asked before a create', async () => {
    const { cluster, process, item } = flowCase(shown(1_000));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(cluster.objects('Job')).toHaveLength(1);
  });
  it('is not believed any longer', async () => {
    const { cluster, process, item } = flowCase(shown(1_001));
    expect(await process(item)).toMatchObject({ kind: 'retry' });
    expect(cluster.objects('Job')).toEqual([]);
  });
});

describe('a decision that takes it for granted that there are no more Jobs', () => {
  const reads: string[] = [];
  const noted = (by: string, { reader }: StoredCluster) => ({
    ...reader,
    get: (...asked: Parameters<typeof reader.get>) => {
      reads.push(by);
      return reader.get(...asked);
    },
  });
  const secondLook = { ...oneJob.secondLook!, takesForAbsent: () => resources.Job };
  const absent = { ...oneJob, secondLook };
  /** Through views whose Jobs are known to be this old. */
  const byViews =
    (agoMs: number): Change =>
    (cluster) => ({
      fn: absent,
      reader: {
        ...noted('views', cluster),
        currentAsOfMs: () => virtualClock(caseNowMs).monotonicMs() - agoMs,
      },
      freshReader: noted('server', cluster),
    });
  it.each<[string, Change, readonly string[]]>([
    ['is made anew by what the API server has', byViews(1_001), ['views', 'server']],
    ['is not where own writes show the view to be current', byViews(1_000), ['views']],
    [
      'is not where the API server was asked',
      (cluster) => ({ fn: absent, reader: noted('server', cluster) }),
      ['server'],
    ],
  ])('%s', async (_, change, expected) => {
    reads.length = 0;
    const { cluster, process, item } = flowCase(change);
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(reads).toEqual(expected);
    expect(phaseOf(cluster)).toBe('Running');
  });
});

describe('a Job that is there although the view does not show it', () => {
  const unseen = ({ reader }: StoredCluster) => ({
    reader: { ...reader, listByOwner: async () => [] },
  });
  const adopting = async (change: Change, spec: unknown = {}) => {
    const made = flowCase(change, spec);
    const { uid } = made.cluster.objects('JobFlow')[0]!.metadata;
    const owner = { apiVersion: 'x/v1', kind: 'JobFlow', name: 'flow-a', uid, controller: true };
    made.cluster.put({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'flow-a-only', namespace: 'default', ownerReferences: [owner] },
    });
    return { verdict: await made.process(made.item), ...made };
  };
  const withoutEvents = {
    ...oneJob,
    decide: (...args: Parameters<typeof oneJob.decide>) => {
      const decision = oneJob.decide(...args);
      return { ...decision, plan: decision.plan.slice(0, 1) };
    },
  };
  it('is adopted, and what became of it decided on at once', async () => {
    const { verdict, cluster } = await adopting(unseen);
    expect(phaseOf(cluster)).toBe('Running');
    expect(verdict).toEqual({ kind: 'requeue', afterMs: 0 });
  });
  it('is looked for again after a second where nothing is on record that says so', async () => {
    const { verdict } = await adopting((stored) => ({ ...unseen(stored), fn: withoutEvents }));
    expect(verdict).toEqual({ kind: 'requeue', afterMs: 1_000 });
  });
  it('is looked for again after a second where only the status of another object is written', async () => {
    const { verdict } = await adopting((stored) => {
      const { apiVersion, kind } = stored.objects('JobFlow')[0]!;
      const target = { namespace: 'default', name: 'flow-b' };
      const { uid, resourceVersion } = stored.put({ apiVersion, kind, metadata: target }).metadata;
      const decide: typeof oneJob.decide = (...args) => {
        const decision = oneJob.decide(...args);
        const plan = decision.plan.map((phase) =>
          phase.map((each) =>
            each.kind === 'patchStatus' ? { ...each, target, uid, resourceVersion } : each,
          ),
        );
        return { ...decision, plan };
      };
      return { ...unseen(stored), fn: { ...oneJob, decide } };
    });
    expect(verdict).toEqual({ kind: 'requeue', afterMs: 1_000 });
  });
  it('is decided on at once where what is on record was written with something else', async () => {
    const together = {
      ...oneJob,
      decide: (...args: Parameters<typeof oneJob.decide>) => {
        const decision = oneJob.decide(...args);
        return { ...decision, plan: [decision.plan.flat()] };
      },
    };
    const { verdict } = await adopting((stored) => ({ ...unseen(stored), fn: together }));
    expect(verdict).toEqual({ kind: 'requeue', afterMs: 0 });
  });
  it('is no matter where it is an Event: that is our own', async () => {
    const withEvent: typeof oneJob = {
      ...oneJob,
      decide: (snapshot, input) => {
        const { apiVersion, kind, metadata } = snapshot.flow;
        const { namespace = '', name, uid } = metadata;
        const event: EmitEventOperation = {
          ...{ kind: 'emitEvent', type: 'Normal', reason: 'Reported', action: 'Report', note: 'x' },
          ...{ regarding: { apiVersion, kind, namespace, name, uid }, occurrence: '1' },
        };
        return { ...oneJob.decide(snapshot, input), plan: [[event]] };
      },
    };
    const { process, item } = flowCase(() => ({ fn: withEvent }));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(await process(item)).toEqual({ kind: 'done' });
  });

  it('is looked for earlier when something else is due', async () => {
    const soon = { requeueAtMs: caseNowMs + 300 };
    const change: Change = (stored) => ({ ...unseen(stored), fn: withoutEvents });
    const { verdict } = await adopting(change, soon);
    expect(verdict).toEqual({ kind: 'requeue', afterMs: 300 });
  });
});

describe('a Job that is gone although the view still shows it', () => {
  const decidingAgain = async (afterMs: number) => {
    const decide: typeof oneJob.decide = () => ({
      plan: [
        [
          {
            kind: 'patch',
            resource: resources.Job,
            target: { namespace: 'default', name: 'flow-a-gone' },
            uid: asUid('uid-of-gone'),
            patch: { spec: { suspend: false } },
          },
        ],
      ],
      reasons: [],
      requeueAtMs: caseNowMs + afterMs,
    });
    const { process, item } = flowCase(() => ({ fn: { ...oneJob, decide } }));
    return process(item);
  };

  it('is not written again before a second has passed, in which the view may catch up', async () => {
    expect(await decidingAgain(0)).toEqual({ kind: 'requeue', afterMs: 1_000 });
  });

  it('puts off nothing that is due later', async () => {
    expect(await decidingAgain(5_000)).toEqual({ kind: 'requeue', afterMs: 5_000 });
  });
});

describe('a decision that rests on all objects of a resource', () => {
  const observedBy = async (restsOnAll: () => Resource | undefined) => {
    const given: unknown[] = [];
    const flow = flowCase(() => ({
      fn: {
        ...oneJob,
        secondLook: { ...oneJob.secondLook!, restsOnAll },
        observe: (key, reader, circumstances) => {
          given.push(circumstances?.now);
          return oneJob.observe(key, reader, circumstances);
        },
      },
    }));
    expect(await flow.process(flow.item)).toEqual({ kind: 'done' });
    expect(phaseOf(flow.cluster)).toBe('Running');
    return given;
  };

  it('is made once more by the list of the API server', async () => {
    expect(await observedBy(() => resources.Node)).toEqual([undefined, resources.Node]);
  });

  it('is applied at once if it rests on none', async () => {
    expect(await observedBy(() => undefined)).toEqual([undefined]);
  });

  it('is made with the new list even if it rests on that no longer', async () => {
    let decisions = 0;
    const once = () => ((decisions += 1) === 1 ? resources.Node : undefined);
    expect(await observedBy(once)).toEqual([undefined, resources.Node]);
  });
});
