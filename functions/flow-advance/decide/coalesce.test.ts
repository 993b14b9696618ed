import { describe, expect, it } from 'vitest';
import type { StepRecord } from '#shared/api/job-flow.ts';
import {
  at,
  condition,
  flow,
  job,
  record,
  snapshot,
  started,
  step,
  t0,
} from '../testing/builders.ts';
import { decide } from '../decide.ts';
import { decided } from '../testing/decided.ts';
import { flowStatusWrite } from './coalesce.ts';
import { openSituation } from './situation.ts';

const steps = [step('a'), step('b', { after: ['a'] })];
const begun = decided(snapshot(flow(steps))).status;
const underway = flow(steps, { status: begun });

describe('a step that goes from Pending to Running (I10)', () => {
  it('is not written before one second after the start of its Job', () => {
    const { decision } = decided(snapshot(underway, { jobs: [job('a', 'running')] }), 1);
    expect(decision.plan).toEqual([]);
    expect(decision.requeueAtMs).toBe(t0 + 2_000);
  });

  it('is written then, with uid and start time', () => {
    const result = decided(snapshot(underway, { jobs: [job('a', 'running')] }), 2);
    expect(result.writesStatus).toBe(true);
    expect(result.step('a')).toMatchObject({
      state: 'Running',
      jobUID: 'uid-of-etl-a',
      startTime: at(1),
    });
    expect(result.events).toEqual([]);
  });

  it('is asked then why it does not run, which it is only once it is on record', () => {
    const jobs = [job('a', 'running')];
    const first = decided(snapshot(underway, { jobs }), 2);
    expect(first.decision.requeueAtMs).toBe(t0 + 2_000);
    const after = decided(snapshot(flow(steps, { status: first.status }), { jobs }), 2);
    expect(after.decision.requeueAtMs).toBeUndefined();
  });

  it.each([1, 3_600])('is written at once when our clock is %d s behind', (seconds) => {
    const result = decided(snapshot(underway, { jobs: [job('a', 'running')] }), 1 - seconds);
    expect(result.step('a').state).toBe('Running');
  });

  it('rides along with any other write', () => {
    const jobs = [job('a', 'complete'), job('b', 'running')];
    const both = flow([step('a'), step('b')], {
      status: decided(snapshot(flow([step('a'), step('b')]))).status,
    });
    const result = decided(snapshot(both, { jobs }), 1);
    expect(result.step('b').state).toBe('Running');
  });

  it('causes no write at all when the step is short: two for a flow of one step', () => {
    const one = [step('a')];
    const first = decided(snapshot(flow(one)));
    const jobs = [job('a', 'complete')];
    const last = decided(snapshot(flow(one, { status: first.status }), { jobs }), 1);
    expect([first.writesStatus, last.writesStatus]).toEqual([true, true]);
    const after = decided(snapshot(flow(one, { status: last.status }), { jobs }), 2);
    expect(after.decision.plan).toEqual([]);
  });
});

describe('a step whose Pods are terminating after its success (KEP-4368)', () => {
  const running = decided(snapshot(underway, { jobs: [job('a', 'running')] }), 9).status;
  const jobs = [{ ...job('a', 'criteriaMet'), conditions: [criteriaMetAt(10)] }];
  const lasting = flow(steps, { status: running });

  it('is not reported before one second after the condition: most are over by then', () => {
    const { decision } = decided(snapshot(lasting, { jobs }), 10);
    expect(decision.plan).toEqual([]);
    expect(decision.requeueAtMs).toBe(t0 + 11_000);
  });

  it('is reported when it lasts', () => {
    const result = decided(snapshot(lasting, { jobs }), 11);
    expect(result.writesStatus).toBe(true);
    expect(result.step('a').reason).toBe('SuccessCriteriaMet');
  });
});

describe('the ordinary course of a flow, where a removed Job is noticed', () => {
  const chain = [step('a'), step('b', { after: ['a'] }), step('c', { after: ['b'] })];
  const first = decided(snapshot(flow(chain))).status;
  const seen = { noticesRemovals: true } as const;
  const look = (
    fields: Parameters<typeof snapshot>[1],
    seconds: number,
    status = first,
    steps: Parameters<typeof flow>[0] = chain,
  ) => decided(snapshot(flow(steps, { status }), { ...seen, ...fields }), seconds);

  it('goes on without a write until one second after the last one', () => {
    const jobs = [job('a', 'complete')];
    const result = look({ jobs }, 0.2);
    expect(result.creates).toEqual(['etl-b']);
    expect([result.writesStatus, result.events]).toEqual([false, []]);
    expect(result.decision.requeueAtMs).toBe(t0 + 1_000);
  });

  it('is written when that second is over', () => {
    const jobs = [job('a', 'complete'), job('b', 'pending')];
    const result = look({ jobs }, 1);
    expect(result.writesStatus).toBe(true);
    expect(result.step('a').state).toBe('Succeed');
    expect(result.step('b')).toMatchObject({ state: 'Pending', jobName: 'etl-b' });
    expect(result.status.lastUpdateTime).toBe('2026-01-05T10:00:01.000000Z');
  });

  it('is written at once where a removal would leave no trace', () => {
    const jobs = [job('a', 'complete')];
    const known = snapshot(flow(chain, { status: first }), { jobs });
    expect(decided(known, 0.2).writesStatus).toBe(true);
  });

  it('is written at once by a status without a time, or with one that lies ahead', () => {
    const jobs = [job('a', 'complete')];
    const undated = Object.fromEntries(
      Object.entries(first).filter(([field]) => field !== 'lastUpdateTime'),
    );
    expect(look({ jobs }, 0.2, undated).writesStatus).toBe(true);
    expect(look({ jobs }, -1).writesStatus).toBe(true);
  });

  it('is written at once when it is the end', () => {
    const jobs = chain.map(({ name }) => job(name, 'complete'));
    const result = look({ jobs }, 0.2);
    expect(result.status.state).toBe('Succeed');
    expect(result.events).toContain('Completed');
  });

  it.each([
    ['a step fails', { jobs: [job('a', 'failed')] }],
    ['a Job is suspended', { jobs: [job('a', 'suspended')] }],
    ['a Job was removed', { confirmedMissing: ['etl-a'] }],
    ['a Job lost a field', { jobs: [job('a', 'pending')], warnings: [lostField('etl-a')] }],
  ])('ends when %s', (_, fields) => {
    expect(look(fields, 0.2).writesStatus).toBe(true);
  });

  it('is reported once in five seconds while many flows are decided about at once', () => {
    const known = snapshot(flow(chain, { status: first }), {
      ...seen,
      jobs: [job('a', 'complete')],
    });
    const input = { nowMs: t0 + 2_000, isUnderLoad: true };
    const { plan, requeueAtMs } = decide(known, input);
    expect(plan.flat().map(({ kind }) => kind)).toEqual(['create']);
    expect(requeueAtMs).toBe(t0 + 5_000);
  });

  it('is reported once in 2 ms for each step where that is longer', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => step(`s${index}`));
    const status = { ...decided(snapshot(flow(many))).status };
    const result = look({ jobs: [job('s0', 'complete')] }, 1.5, status, many);
    expect(result.writesStatus).toBe(false);
    expect(result.decision.requeueAtMs).toBe(t0 + 2_000);
  });
});

function lostField(name: string) {
  return { name, message: 'unknown field "spec.x"' };
}

function criteriaMetAt(seconds: number) {
  return { type: 'SuccessCriteriaMet', status: 'True', lastTransitionTime: at(seconds) };
}

describe('what is written at once', () => {
  it.each([
    ['a success', job('a', 'complete')],
    ['a failure', job('a', 'failed')],
    ['a suspension', job('a', 'suspended')],
  ])('%s', (_, child) => {
    expect(decided(snapshot(underway, { jobs: [child] }), 1).writesStatus).toBe(true);
  });

  it('a new generation', () => {
    const edited = flow(steps, { status: begun, generation: 2 });
    const result = decided(snapshot(edited, { jobs: [job('a', 'pending')] }), 1);
    expect(result.status.observedGeneration).toBe(2);
  });
});

describe('a difference in the steps alone', () => {
  const run = (fields: Partial<StepRecord> = {}, name = 'a') =>
    record(name, 'Running', { startTime: at(1), ...fields });
  const after = (next: readonly StepRecord[], before: readonly StepRecord[], seconds = 1.5) => {
    const status = started([]);
    const conditions = [condition('Odd', { lastTransitionTime: at(1) }), criteriaMetAt(30)];
    const jobs = [{ ...job('a', 'running'), conditions }];
    const known = flow(steps, { status: { ...status, jobStatusList: before } });
    const situation = openSituation(snapshot(known, { jobs }), {
      nowMs: t0 + seconds * 1_000,
    });
    return flowStatusWrite(situation, { ...status, jobStatusList: next });
  };
  const held = (dueSeconds: number) => ({ dueMs: t0 + dueSeconds * 1_000 });

  it.each<readonly [string, StepRecord, StepRecord]>([
    ['the step has another attempt', run(), run({ attempt: 1 })],
    ['its Job was stopped', run(), record('a', 'Suspended', { startTime: at(1) })],
    ['its Job goes on', record('a', 'Suspended'), run()],
    ['we delete its Job', run(), run({ reason: 'Cancelling' })],
    ['we deleted its Job', run({ reason: 'Cancelling' }), run()],
    [
      'it waits for something else',
      record('a', 'Waiting', { reason: 'DependenciesPending', startTime: at(1) }),
      record('a', 'Waiting', { reason: 'TemplatesPending', startTime: at(1) }),
    ],
    [
      'another attempt waits for a dependency',
      record('a', 'Waiting', { reason: 'DependenciesPending' }),
      record('a', 'Waiting', { reason: 'DependenciesPending', attempt: 1 }),
    ],
    ['the API server lost a field of it', run(), run({ reason: 'UnknownField', message: 'x' })],
  ])('is written at once when %s', (_, before, next) => {
    expect(after([next], [before])).toHaveProperty('patch');
  });

  describe('however short ago the last one was written', () => {
    const awaiting = record('a', 'Waiting', { reason: 'DependenciesPending' });
    const remarked = record('a', 'Waiting', { reason: 'TemplatesPending' });
    const soonAfter = (before: StepRecord, next: StepRecord) => {
      const status = { ...started([]), lastUpdateTime: at(1) };
      const known = flow(steps, { status: { ...status, jobStatusList: [before] } });
      const input = { nowMs: t0 + 1_500 };
      const situation = openSituation(snapshot(known, { noticesRemovals: true }), input);
      return flowStatusWrite(situation, { ...status, jobStatusList: [next] });
    };

    it.each<readonly [string, StepRecord, StepRecord]>([
      ['it has another attempt', run(), record('a', 'Succeed', { attempt: 1 })],
      ['there is a remark on it', awaiting, remarked],
      ['there is none any more', remarked, record('a', 'Pending')],
      ['it has ended after a remark', run({ reason: 'Odd' }), record('a', 'Succeed')],
      ['it was over before', record('a', 'Failed'), record('a', 'Succeed')],
    ])('is written at once when %s', (_, before, next) => {
      expect(soonAfter(before, next)).toHaveProperty('patch');
    });

    it('is no reason to write for which of its dependencies it waits', () => {
      expect(soonAfter(awaiting, { ...awaiting, message: 'b' })).toEqual({});
      expect(soonAfter(record('a', 'Waiting'), awaiting)).toEqual({});
    });

    it('waits for its turn when the step takes its ordinary course', () => {
      expect(soonAfter(run(), record('a', 'Succeed'))).toEqual(held(2));
      expect(soonAfter(awaiting, record('a', 'Pending'))).toEqual(held(2));
    });
  });

  it('is written at once when there are other steps than before', () => {
    expect(after([run()], [])).toHaveProperty('patch');
    expect(after([run()], [run(), run({}, 'b')])).toHaveProperty('patch');
  });

  it('waits while the step runs as before and only a remark on it is new', () => {
    expect(after([run({ reason: 'Odd' })], [run()])).toEqual(held(2));
    const lost = run({ reason: 'UnknownField', message: 'x' });
    expect(after([{ ...lost, message: 'y' }], [lost])).toEqual(held(2));
  });

  it('waits for the condition that the remark is from, not for another one of the Job', () => {
    expect(after([run({ reason: 'SuccessCriteriaMet' })], [run()], 30)).toEqual(held(31));
    expect(after([run({ reason: 'Odd' })], [run()], 1)).toEqual(held(2));
  });

  it('is written as soon as one of several has waited long enough', () => {
    const before = [run(), run({ startTime: at(0) }, 'b')];
    const next = before.map((entry) => ({ ...entry, message: 'new' }));
    expect(after(next, before)).toHaveProperty('patch');
    expect(after(next.toReversed(), before.toReversed())).toHaveProperty('patch');
  });

  it('never has to be written for a step that has not started', () => {
    const pending = record('a', 'Pending');
    expect(after([{ ...pending, message: 'new' }], [pending])).toEqual({});
  });
});

describe('a flow of more than 200 steps', () => {
  const many = Array.from({ length: 201 }, (_, index) => step(`s${index}`));
  const write = (fields: Partial<StepRecord>) => {
    const first = record('s0', 'Running', { startTime: at(1), reason: 'Odd', message: 'old' });
    const rest = many.slice(1).map(({ name }) => record(name, 'Waiting'));
    const status = started([first, ...rest]);
    const input = { nowMs: t0 + 1_500 };
    const situation = openSituation(snapshot(flow(many, { status })), input);
    return flowStatusWrite(situation, {
      ...status,
      jobStatusList: [{ ...first, ...fields }, ...rest],
    });
  };

  it('is not written for other words of the same remark', () => {
    expect(write({ message: 'new' })).toEqual({});
  });

  it.each<Partial<StepRecord>>([
    { reason: 'Other' },
    { attempt: 1 },
    { state: 'Failed' },
    { nextRetryTime: at(9) },
  ])('is written for %o', (fields) => {
    expect(write(fields)).not.toEqual({});
  });
});

describe('the start of a flow', () => {
  const write = (before: typeof begun, next: typeof begun) => {
    const situation = openSituation(snapshot(flow(steps, { status: before })), {
      nowMs: t0 + 5_000,
    });
    return flowStatusWrite(situation, next);
  };
  const status = started([record('a', 'Running', { startTime: at(1) })]);

  it('that was earlier than was thought comes with other news', () => {
    expect(write(status, { ...status, startTime: at(-1) })).toEqual({});
  });

  it('is written at once where none is on record', () => {
    const { startTime, ...before } = status;
    expect(write(before, status).patch).toMatchObject({ startTime });
  });
});

describe('a status with fields of another version', () => {
  const newer = flow(steps, { status: { ...begun, future: 'kept' } as typeof begun });

  it('keeps them: what this version does not know is not its to remove', () => {
    const result = decided(snapshot(newer, { jobs: [job('a', 'complete')] }), 1);
    expect(result.writesStatus).toBe(true);
    const patches = result.decision.plan.flat().filter(({ kind }) => kind === 'patchStatus');
    expect(patches).toHaveLength(1);
    expect(JSON.stringify(patches)).not.toContain('future');
  });

  it('is no reason to write', () => {
    const same = snapshot(newer, { jobs: [job('a', 'pending')] });
    expect(decided(same, 1).decision.plan).toEqual([]);
  });
});
