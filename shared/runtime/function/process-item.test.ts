import { describe, expect, it } from 'vitest';
import type { Said } from './event-function.ts';
import { MillraceError, type ErrorCode } from '#shared/domain/errors.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import type { ItemProcessorOptions } from './process-item.ts';
import { caseNowMs, flowCase } from '../testing/flow-case.ts';
import { oneJob, type OneJobSnapshot } from '../testing/one-job-function.ts';
import type { StoredCluster } from '../testing/stored-cluster.ts';
import { trustBy } from './trust.ts';
import { forbiddenRetryMs } from './verdict-of-error.ts';

type Change = (cluster: StoredCluster) => Partial<ItemProcessorOptions<OneJobSnapshot>>;
const refusal = (code: ErrorCode, retryAfterMs?: number) =>
  new MillraceError(
    code,
    { verb: 'v', path: 'p', status: 500, reason: 'Conflict', detail: 'on purpose' },
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
/** Fails the first `times` calls of a verb. */
function failing(verb: 'create' | 'patch', error: Error, times = Infinity): Change {
  return ({ client }) => {
    let left = times;
    const failOr = (act: () => Promise<KubeObject>): Promise<KubeObject> => {
      left -= 1;
      return left >= 0 ? Promise.reject(error) : act();
    };
    const create: KubeClient['create'] = (...args) => failOr(() => client.create(...args));
    const patch: KubeClient['patch'] = (...args) => failOr(() => client.patch(...args));
    return { client: { ...client, ...(verb === 'create' ? { create } : { patch }) } };
  };
}
const unreadable =
  (error: Error): Change =>
  ({ reader }) => ({
    reader: { ...reader, get: () => Promise.reject(error) },
  });

/** The refusals that the function receives before its second decision. */
function recordingRefusals(fn: typeof oneJob) {
  const refused: string[] = [];
  const knowing = (snapshot: OneJobSnapshot, { rejections }: Said): OneJobSnapshot => {
    refused.push(...rejections.map(({ name, code }) => `${name} ${code}`));
    return { ...snapshot, rejections };
  };
  return { fn: { ...fn, secondLook: { knowing } }, refused };
}

const phaseOf = (cluster: StoredCluster) =>
  (cluster.objects('JobFlow')[0]?.status as JsonObject | undefined)?.['phase'];

it('observes, decides and applies', async () => {
  const { cluster, process, item } = flowCase();
  expect(await process(item)).toEqual({ kind: 'done' });
  expect(phaseOf(cluster)).toBe('Running');
  expect(cluster.objects('Job')).toHaveLength(1);
});

describe('the right of the submitter', () => {
  const submitted = (allowed: boolean): Change => {
    const user = { username: 'ann', groups: [], extra: {} };
    return ({ client }) => ({
      fn: { ...oneJob, submitterOf: () => user },
      client: { ...client, review: async () => ({ allowed }) },
    });
  };

  it('lets the work be done', async () => {
    const { cluster, process, item } = flowCase(submitted(true));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(cluster.objects('Job')).toHaveLength(1);
  });

  it('that is gone is reported to the function, and nothing is created (pass-3)', async () => {
    const { cluster, process, item } = flowCase(submitted(false));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(phaseOf(cluster)).toBe('Forbidden');
    expect(cluster.objects('Job')).toEqual([]);
  });
});

describe('the policy on Pods', () => {
  const spec = (pod: JsonObject) => ({ template: { spec: { containers: [], ...pod } } });
  const named = (create: Operation, name: string, pod: JsonObject): Operation => {
    if (create.kind !== 'create') return create;
    const { object } = create;
    const metadata = { ...object.metadata, name };
    return { ...create, object: { ...object, metadata, spec: spec(pod) } };
  };
  const onHostAndPlain: typeof oneJob = {
    ...oneJob,
    decide: (snapshot, input) => {
      const { plan, ...said } = oneJob.decide(snapshot, input);
      const [[create] = [], ...rest] = plan;
      if (create?.kind !== 'create') return { plan, ...said };
      const both = [named(create, 'on-host', { hostPID: true }), named(create, 'plain', {})];
      return { plan: [both, ...rest], ...said };
    },
  };

  it('keeps no Job from being created but the one that breaks it (pass-3)', async () => {
    const { cluster, process, item } = flowCase(() => ({
      policy: defaultPolicy,
      fn: onHostAndPlain,
    }));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(phaseOf(cluster)).toBe('Forbidden');
    expect(cluster.objects('Job').map(({ metadata }) => metadata.name)).toEqual(['plain']);
  });

  it('adds its refusals to those of the API server (pass-3)', async () => {
    const { fn, refused } = recordingRefusals(onHostAndPlain);
    const { process, item } = flowCase((cluster) => ({
      ...failing('create', refusal('MR_API_INVALID'))(cluster),
      policy: defaultPolicy,
      fn,
    }));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(refused).toEqual(['on-host Forbidden', 'plain Invalid']);
  });

  it('is not asked about a Job that no user answers for (trust-2)', async () => {
    const { fn, refused } = recordingRefusals({ ...oneJob, submitterOf: () => undefined });
    const { process, item } = flowCase(
      () => ({ policy: defaultPolicy, trust: trustBy({ trustNamespaces: false }), fn }),
      { job: spec({ hostPID: true }) },
    );
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(refused).toEqual(['flow-a-only SubmitterUnknown']);
  });
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

describe('a conflict', () => {
  const stolen = (cluster: StoredCluster, times: number) => {
    const { client } = cluster;
    let left = times;
    const patch: KubeClient['patch'] = async (...args) => {
      left -= 1;
      if (left >= 0) cluster.touch('JobFlow', 'flow-a');
      return client.patch(...args);
    };
    return { client: { ...client, patch } };
  };
  it('is observed and decided again at once', async () => {
    const { cluster, process, item } = flowCase((stored) => stolen(stored, 3));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(phaseOf(cluster)).toBe('Running');
    expect(cluster.objects('Job')).toHaveLength(1);
  });
  it('is left for later the fourth time', async () => {
    const { cluster, process, item } = flowCase((stored) => stolen(stored, 4));
    expect(await process(item)).toMatchObject({ kind: 'later' });
    expect(phaseOf(cluster)).toBeUndefined();
  });
  it('is read past a view that is behind', async () => {
    const { cluster, process, item } = flowCase(({ reader }) => {
      const old = reader.get(resources.JobFlow, { namespace: 'default', name: 'flow-a' });
      return { reader: { ...reader, get: () => old }, freshReader: reader };
    });
    cluster.touch('JobFlow', 'flow-a');
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(phaseOf(cluster)).toBe('Running');
  });
});

it('a pass asks the API server for the object alone while its view is not known to be behind', async () => {
  const asked: string[] = [];
  const { cluster, process, item } = flowCase(({ reader }) => ({
    freshReader: {
      get: (kind, name) => {
        asked.push(`${kind.kind}/${name.name}`);
        return reader.get(kind, name);
      },
      list: () => Promise.reject(new Error('lists')),
      listByOwner: () => Promise.reject(new Error('lists')),
      listByOwners: () => Promise.reject(new Error('lists')),
    },
  }));
  expect(await process(item)).toEqual({ kind: 'done' });
  expect(cluster.objects('Job')).toHaveLength(1);
  expect(asked).toEqual(['JobFlow/flow-a']);
});

describe('a refused write', () => {
  const quota = refusal('MR_API_INVALID');
  const second = (each: Operation): Operation =>
    each.kind === 'create'
      ? {
          ...each,
          object: { ...each.object, metadata: { ...each.object.metadata, name: 'second' } },
        }
      : each;
  it('is passed to the function, which decides once more', async () => {
    const { cluster, process, item } = flowCase(failing('create', quota));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(phaseOf(cluster)).toBe('Invalid');
  });
  it('reports a name that another owner has taken', async () => {
    const { cluster, process, item } = flowCase();
    cluster.put({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'flow-a-only', namespace: 'default' },
    });
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(phaseOf(cluster)).toBe('NameConflict');
  });
  it('of a later stage is passed on as well, beside the earlier one', async () => {
    const fn = {
      ...oneJob,
      decide: (...args: Parameters<typeof oneJob.decide>) => {
        const [{ rejections }] = args;
        const { plan, reasons } = oneJob.decide({ ...args[0], rejections: [] }, args[1]);
        const creates = plan[0] ?? [];
        const known = new Set(rejections.map(({ name }) => name));
        const stages = [creates, creates.map(second)].map((stage) =>
          stage.filter((each) => each.kind !== 'create' || !known.has(each.object.metadata.name)),
        );
        return { plan: stages, reasons };
      },
    };
    const { process, item } = flowCase((stored) => ({ ...failing('create', quota)(stored), fn }));
    expect(await process(item)).toEqual({ kind: 'done' });
  });
  it('is retried when the second decision is refused as well, with what was said of each', async () => {
    const fn = {
      ...oneJob,
      decide: (...args: Parameters<typeof oneJob.decide>) => {
        const { plan, reasons } = oneJob.decide(...args);
        return {
          reasons,
          plan: plan.map((stage) => stage.flatMap((each) => [each, second(each)])),
        };
      },
      secondLook: { knowing: (snapshot: OneJobSnapshot) => snapshot },
    };
    const { process, item } = flowCase((stored) => ({ ...failing('create', quota)(stored), fn }));
    expect(await process(item)).toEqual({
      kind: 'retry',
      detail: 'refused again: Invalid flow-a-only: on purpose; Invalid second: on purpose',
    });
  });
});

describe('a create that the API server took with a loss', () => {
  const loss = { name: 'flow-a-only', message: 'unknown field "spec.x"' };
  const lossy: Change = ({ client }) => ({
    client: {
      ...client,
      create: async (resource, object, options) => {
        if (object.kind === 'Job') options?.onWarning?.(loss.message);
        return client.create(resource, object, options);
      },
    },
  });

  it('is passed to the function once, after the plan was carried out', async () => {
    const received: unknown[] = [];
    const fn = {
      ...oneJob,
      secondLook: {
        knowing: (snapshot: OneJobSnapshot, { warnings }: Said) => {
          received.push(...warnings, snapshot.jobs.length);
          return snapshot;
        },
      },
    };
    const { cluster, process, item } = flowCase((stored) => ({ ...lossy(stored), fn }));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(received).toEqual([loss, 1]);
    expect(phaseOf(cluster)).toBe('Running');
    await process(item);
    expect(received).toHaveLength(2);
  });
});

describe('an error', () => {
  it.each<[string, Change, object]>([
    [
      'that may pass is retried',
      failing('patch', refusal('MR_API_UNREACHABLE')),
      { kind: 'retry' },
    ],
    [
      'of a busy server uses no attempt',
      failing('patch', refusal('MR_API_RETRYABLE', 3_000)),
      { kind: 'later', afterMs: 3_000 },
    ],
    ['of a server is retried', failing('patch', refusal('MR_API_RETRYABLE')), { kind: 'retry' }],
    ['of a read is retried', unreadable(refusal('MR_API_UNREACHABLE')), { kind: 'retry' }],
    [
      'for want of a permission is retried slowly, since it may be granted',
      unreadable(refusal('MR_API_FORBIDDEN')),
      { kind: 'retry', afterMs: forbiddenRetryMs },
    ],
    ['that stays is parked', unreadable(refusal('MR_API_REFUSED')), { kind: 'parked' }],
    ['of the program is retried', unreadable(new TypeError('oh')), { kind: 'retry', detail: 'oh' }],
  ])('%s', async (_name, change, verdict) => {
    const { process, item } = flowCase(change);
    expect(await process(item)).toMatchObject(verdict);
  });
  it('of a conflicting read is later, after three more tries', async () => {
    let reads = 0;
    const { process, item, registry } = flowCase(({ reader }) => ({
      reader: {
        ...reader,
        get: () => {
          reads += 1;
          return Promise.reject(refusal('MR_API_CONFLICT'));
        },
      },
    }));
    const { message } = refusal('MR_API_CONFLICT');
    expect(await process(item)).toEqual({ kind: 'later', detail: message });
    expect(reads).toBe(4);
    expect(await registry.metrics()).toContain('outcome="conflict"} 4');
  });
  it('in the middle of a plan loses nothing: the next run finishes it', async () => {
    const { cluster, process, item } = flowCase(failing('patch', refusal('MR_API_UNREACHABLE'), 1));
    expect(await process(item)).toMatchObject({ kind: 'retry' });
    expect(cluster.objects('Job')).toHaveLength(1);
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(cluster.objects('Job')).toHaveLength(1);
    expect(phaseOf(cluster)).toBe('Running');
  });
});

it('writes nothing once it is called off, and counts no decision', async () => {
  const { cluster, process, item, registry } = flowCase();
  expect(await process(item, AbortSignal.abort())).toMatchObject({ kind: 'later' });
  expect(cluster.objects('Job')).toHaveLength(0);
  expect(await registry.metrics()).not.toContain('outcome="aborted"');
});

it('writes nothing more once it is called off in the middle of a plan', async () => {
  const stop = new AbortController();
  const { cluster, process, item, registry } = flowCase(({ client }) => ({
    client: {
      ...client,
      create: async (...args) => {
        stop.abort();
        return client.create(...args);
      },
    },
  }));
  expect(await process(item, stop.signal)).toMatchObject({ kind: 'later' });
  expect(cluster.objects('Job')).toHaveLength(1);
  expect(phaseOf(cluster)).toBeUndefined();
  expect(await registry.metrics()).toContain('outcome="aborted"} 1');
  expect(await process(item)).toEqual({ kind: 'done' });
  expect(phaseOf(cluster)).toBe('Running');
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
