import { describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { DecisionRecord, Journal } from '#shared/journal/journal.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import { caseNowMs, flowCase, type FlowCase } from '../testing/flow-case.ts';
import { oneJob } from '../testing/one-job-function.ts';
import { trustBy } from './trust.ts';

const refusal = (code: 'MR_API_INVALID' | 'MR_API_CONFLICT', detail: string) =>
  new MillraceError(code, { verb: 'create', path: 'p', status: 422, reason: 'r', detail });

/** Lines of at least this level, without the fields that every line has. */
function linesOf({ lines }: FlowCase, level: number): readonly object[] {
  return lines
    .filter((line) => Number(line['level']) >= level)
    .map(({ time: _time, pid: _pid, hostname: _hostname, ...line }) => line);
}
const [debug, info, warn] = [20, 30, 40] as const;
const ids = { function: 'flow-advance', key: 'JobFlow/default/flow-a', eventId: 'u-job.7' };
const running = {
  writes: { create: 1, patchStatus: 1 },
  reasons: ['Running'],
  why: 'the flow is Running',
};

/** Reports the start of the flow by an Event. */
const announcing: typeof oneJob = {
  ...oneJob,
  decide: (...args) => {
    const decision = oneJob.decide(...args);
    const { apiVersion, kind, metadata } = args[0].flow;
    const { name, uid } = metadata;
    const event: EmitEventOperation = {
      ...({ kind: 'emitEvent', type: 'Normal' } as const),
      ...{ reason: 'Started', action: 'Start', note: 'started', occurrence: '1' },
      regarding: { apiVersion, kind, namespace: 'default', name, uid },
    };
    return decision.plan.length === 0
      ? decision
      : { ...decision, plan: [...decision.plan, [event]] };
  },
};

describe('the log', () => {
  it('carries function, key and event id from the event to the write', async () => {
    const flow = flowCase();
    await flow.process(flow.item);
    expect(linesOf(flow, debug)).toEqual([
      { level: info, ...ids, ...running, msg: 'plan applied' },
    ]);
  });

  it('is silent at info when nothing was written', async () => {
    const flow = flowCase();
    await flow.process(flow.item);
    await flow.process(flow.item);
    expect(linesOf(flow, debug)[1]).toEqual({
      ...{ level: debug, ...ids, writes: {}, reasons: [], why: '' },
      msg: 'nothing to write',
    });
  });

  it('says at debug that the object is gone', async () => {
    const flow = flowCase();
    const uid = 'another' as typeof flow.item.key.uid;
    await flow.process({ ...flow.item, key: { ...flow.item.key, uid } });
    expect(linesOf(flow, debug)).toEqual([{ level: debug, ...ids, msg: 'object is gone' }]);
  });

  it('names an error once', async () => {
    const flow = flowCase(({ reader }) => ({
      reader: { ...reader, get: () => Promise.reject(new TypeError('oh')) },
    }));
    await flow.process(flow.item);
    expect(linesOf(flow, debug)).toMatchObject([
      { level: warn, ...ids, msg: 'item failed', err: { message: 'oh' } },
    ]);
  });

  it('warns of a write that was refused, with the reason', async () => {
    const invalid = refusal('MR_API_INVALID', 'too large');
    const flow = flowCase(({ client }) => ({
      client: { ...client, create: () => Promise.reject(invalid) },
    }));
    await flow.process(flow.item);
    const rejections = [{ code: 'Invalid', name: 'flow-a-only', message: 'too large' }];
    expect(linesOf(flow, warn)).toEqual([
      { level: warn, ...ids, rejections, msg: 'a write was refused' },
    ]);
  });

  it('warns of what the API server lost of a created object', async () => {
    const message = 'unknown field "spec.x"';
    const flow = flowCase(({ client }) => ({
      client: {
        ...client,
        create: (resource, object, options) => {
          options?.onWarning?.(message);
          return client.create(resource, object, options);
        },
      },
    }));
    await flow.process(flow.item);
    expect(linesOf(flow, warn)).toEqual([
      {
        ...{ level: warn, ...ids, warnings: [{ name: 'flow-a-only', message }] },
        msg: 'what was created is not what was asked for',
      },
    ]);
  });

  it('warns of an Event that was not written, and not of the plan', async () => {
    const flow = flowCase(({ client }) => ({
      client: {
        ...client,
        create: (resource, object, options) =>
          resource === resources.Event
            ? Promise.reject(refusal('MR_API_INVALID', 'no Events here'))
            : client.create(resource, object, options),
      },
      fn: announcing,
    }));
    expect(await flow.process(flow.item)).toEqual({ kind: 'done' });
    expect(linesOf(flow, warn)).toEqual([
      {
        ...{ level: warn, ...ids, notes: [expect.stringContaining('no Events here')] },
        msg: 'an Event was not written',
      },
    ]);
  });

  it('says at debug why a decision is made again', async () => {
    const flow = flowCase((stored) => {
      let isFirst = true;
      const patch: typeof stored.client.patch = async (...args) => {
        if (isFirst) stored.touch('JobFlow', 'flow-a');
        isFirst = false;
        return stored.client.patch(...args);
      };
      return { client: { ...stored.client, patch } };
    });
    await flow.process(flow.item);
    expect(linesOf(flow, debug)[0]).toEqual({
      ...{ level: debug, ...ids, detail: expect.stringContaining('in memory') as string },
      msg: 'observed state was old',
    });
  });

  it('names a plan that was left in the middle, for another run to finish', async () => {
    const stop = new AbortController();
    const flow = flowCase(({ client }) => ({
      client: {
        ...client,
        create: (...args) => {
          stop.abort();
          return client.create(...args);
        },
      },
    }));
    expect(await flow.process(flow.item, stop.signal)).toEqual({
      kind: 'later',
      detail: 'the run was called off',
    });
    expect(linesOf(flow, info)).toEqual([
      { level: info, ...ids, ...running, msg: 'called off in the middle of a plan' },
    ]);
  });
});

it('warns of nothing when everything was written', async () => {
  const flow = flowCase();
  await flow.process(flow.item);
  expect(linesOf(flow, warn)).toEqual([]);
});

describe('a transition that an Event announces', () => {
  const counted = async ({ process, item, registry }: FlowCase) => {
    await process(item);
    const metrics = await registry.metrics();
    return metrics.split('\n').filter((line) => line.startsWith('millrace_transitions_total'));
  };

  it('is counted by kind, type and action', async () => {
    expect(await counted(flowCase(() => ({ fn: announcing })))).toEqual([
      'millrace_transitions_total{kind="JobFlow",type="Normal",action="Start"} 1',
    ]);
  });

  it('is not counted when its plan was not carried out', async () => {
    const flow = flowCase(({ client }) => ({
      client: { ...client, patch: () => Promise.reject(new TypeError('oh')) },
      fn: announcing,
    }));
    expect(await counted(flow)).toEqual([]);
  });
});

describe('how long it observed, decided and applied', () => {
  /** Each read takes 2 ms, the decision 3 ms and each write 0.5 ms, whenever it begins. */
  const timed = (): FlowCase & { readonly journal: Journal } => {
    const journal = createMemoryJournal({ clock: virtualClock(caseNowMs) });
    let nowMs = 5_000_000;
    const taking = <Result>(ms: number, result: Result): Result => {
      nowMs += ms;
      return result;
    };
    const flow = flowCase(({ client, reader }) => ({
      journal,
      clock: { now: () => caseNowMs, monotonicMs: () => nowMs, sleep: async () => undefined },
      fn: { ...oneJob, decide: (...args) => taking(3, oneJob.decide(...args)) },
      reader: {
        ...reader,
        get: (...args) => taking(2, reader.get(...args)),
        listByOwner: (...args) => taking(2, reader.listByOwner(...args)),
      },
      client: {
        ...client,
        create: (...args) => taking(0.5, client.create(...args)),
        patch: (...args) => taking(0.50049, client.patch(...args)),
      },
    }));
    return { ...flow, journal };
  };

  it('is recorded in milliseconds, to the microsecond', async () => {
    const { process, item, journal } = timed();
    await process(item);
    const [entry] = await journal.read(undefined, 1);
    const { durationMs } = entry?.record as DecisionRecord;
    expect(durationMs).toEqual({ observe: 4, decide: 3, apply: 1 });
  });

  it('is measured in seconds', async () => {
    const { process, item, registry } = timed();
    await process(item);
    const metrics = await registry.metrics();
    for (const [step, seconds] of [
      ['observe', 0.004],
      ['decide', 0.003],
      ['apply', 0.001],
    ]) {
      const labels = `{function="flow-advance",step="${step}"}`;
      expect(metrics).toContain(`millrace_decision_step_seconds_sum${labels} ${seconds}\n`);
      expect(metrics).toContain(`millrace_decision_step_seconds_count${labels} 1\n`);
    }
  });
});

it('a function observes by the time of the decision, and knows in which namespaces nothing is made', async () => {
  const given: unknown[] = [];
  const flow = flowCase(() => ({
    fn: {
      ...oneJob,
      observe: (key, reader, circumstances) => {
        given.push(circumstances);
        return oneJob.observe(key, reader, circumstances);
      },
    },
    trust: trustBy({ trustNamespaces: true, own: 'millrace' }),
  }));
  await flow.process(flow.item);
  const exempt = ['kube-system', 'kube-node-lease', 'kube-public', 'millrace'];
  expect(given).toEqual([{ nowMs: caseNowMs, exempt }]);
});
