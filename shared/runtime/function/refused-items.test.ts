import { describe, expect, it } from 'vitest';
import type { Said } from './event-function.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import { flowCase } from '../testing/flow-case.ts';
import { oneJob, type OneJobSnapshot } from '../testing/one-job-function.ts';
import { trustBy } from './trust.ts';
import {
  type Change,
  refusal,
  failing,
  recordingRefusals,
  phaseOf,
} from '../testing/item-cases.ts';

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
