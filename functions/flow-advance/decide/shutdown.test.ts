import { describe, expect, it } from 'vitest';
import type { StepRecord } from '#shared/api/job-flow.ts';
import { annotations } from '#shared/domain/labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { takesForAbsent } from '../takes-for-absent.ts';
import { at, flow, flowUid, job, record, snapshot, started, step } from '../testing/builders.ts';
import { decided, withRetry } from '../testing/decided.ts';
import { entries, jobs, look, lookAfter, steps } from '../testing/four-steps.ts';

describe('spec.shutdown: Stop (rule 25)', () => {
  it('starts and retries nothing, lets run what runs, and says so', () => {
    const result = decided(look({ shutdown: 'Stop' }));
    expect([result.creates, result.deletes, result.patches]).toEqual([[], [], []]);
    expect(result.step('a').state).toBe('Running');
    expect(result.step('b')).toEqual({
      name: 'b',
      state: 'Skipped',
      reason: 'Shutdown',
      message: 'spec.shutdown is Stop',
    });
    expect(result.step('c')).toMatchObject({ state: 'Failed', attempt: 0, reason: 'Shutdown' });
    expect(result.status).toMatchObject({ state: 'Running', reason: 'ShuttingDown' });
    expect(result.status.message).toBe(
      'spec.shutdown is Stop: nothing new starts, and what runs still ends; to delete it as well set spec.shutdown to Terminate',
    );
    expect(result.condition('Progressing')).toBe('True/ShuttingDown');
    expect(result.events).toContain('ShuttingDown');
  });

  it('ends as Failed with reason Shutdown when what ran has ended, and records how it did', () => {
    const spec = { shutdown: 'Stop' } as const;
    const first = decided(look(spec));
    const end = decided(lookAfter(first, spec, { jobs: [job('a', 'complete')] }), 20);
    expect(end.step('a').state).toBe('Succeed');
    expect(end.status).toMatchObject({
      state: 'Failed',
      reason: 'Shutdown',
      message: 'shut down (spec.shutdown) before these steps had succeeded: b, c',
      completionTime: at(9),
    });
    expect(end.condition('Failed')).toBe('True/Shutdown');
    expect(takesForAbsent(look(spec), end.decision)).toBe(resources.Job);
  });

  it('succeeds when every step has', () => {
    const all = started([record('a', 'Running')]);
    const one = snapshot(flow([step('a')], { spec: { shutdown: 'Stop' }, status: all }), {
      jobs: [job('a', 'complete')],
    });
    expect(decided(one).status.state).toBe('Succeed');
  });

  it('is no cause of a failure that keeps nothing from running', () => {
    const status = started([record('a', 'Running')]);
    const one = snapshot(flow([step('a')], { spec: { shutdown: 'Stop' }, status }), {
      jobs: [job('a', 'failed')],
    });
    expect(decided(one).status).toMatchObject({ state: 'Failed', reason: 'StepFailed' });
  });

  it('retries no step that fails while it is set', () => {
    const retried = [step('a', { retryPolicy: { limit: 3 } })];
    const status = started([record('a', 'Running')]);
    const spec = { shutdown: 'Stop' } as const;
    const result = decided(
      snapshot(flow(retried, { spec, status }), { jobs: [job('a', 'failed')] }),
    );
    expect(result.step('a')).toMatchObject({ state: 'Failed', attempt: 0, reason: 'Shutdown' });
    expect(result.status.reason).toBe('Shutdown');
    expect(takesForAbsent(look(spec), result.decision)).toBe(resources.Job);
  });

  it('names what keeps a running step from its end', () => {
    const trouble = {
      pod: 'etl-a-x',
      reason: 'ImagePullBackOff',
      message: 'no image',
      since: at(1),
    };
    const held = { ...job('a', 'running'), pods: { active: 1, failed: 0, trouble } };
    const { status } = decided(look({ shutdown: 'Stop' }, { jobs: [held] }), 20);
    expect(status.reason).toBe('ShuttingDown');
    expect(status.message).toMatch(/set spec.shutdown to Terminate; step a: Pod etl-a-x: no image/);
  });

  it('deletes suspended Jobs, which would never end, and resumes none of them', () => {
    const marked = { annotations: { [annotations.suspendedBy]: flowUid } };
    const held = [job('a', 'suspended', marked), job('d', 'complete')];
    const status = started([record('a', 'Suspended'), ...entries.slice(1)]);
    for (const suspend of [true, false]) {
      const result = decided(look({ shutdown: 'Stop', suspend }, { jobs: held }, status));
      expect(result.deletes).toMatchObject([{ target: { name: 'etl-a' } }]);
      expect(result.patches).toEqual([]);
      expect(result.step('a')).toMatchObject({ state: 'Running', reason: 'Shutdown' });
    }
  });

  it('goes on to its end after it was taken back, without what was skipped', () => {
    const first = decided(look({ shutdown: 'Stop' }));
    const back = decided(lookAfter(first, {}, { jobs: [job('a', 'complete')] }), 20);
    expect(back.creates).toEqual([]);
    expect(back.status).toMatchObject({ state: 'Failed', reason: 'Shutdown' });
  });

  it('cancels nothing that runs because of a retry that it has given up', () => {
    const result = decided(look({ shutdown: 'Stop', failurePolicy: 'CancelRunning' }));
    const next = lookAfter(result, { shutdown: 'Stop', failurePolicy: 'CancelRunning' }, { jobs });
    expect(decided(next).deletes).toEqual([]);
  });
});

describe('spec.shutdown: Terminate (rule 25)', () => {
  const spec = { shutdown: 'Terminate' } as const;

  it('deletes what runs, and ends when it is gone', () => {
    const first = decided(look(spec));
    expect(first.deletes).toMatchObject([{ target: { name: 'etl-a' }, propagation: 'Foreground' }]);
    expect(first.step('a')).toMatchObject({
      state: 'Running',
      reason: 'Shutdown',
      message: 'deleted because the flow was shut down (spec.shutdown); waiting until it is gone',
    });
    expect(first.status).toMatchObject({ state: 'Running', reason: 'ShuttingDown' });
    const going = [job('a', 'running', { deletionTimestamp: at(5) })];
    const second = decided(lookAfter(first, spec, { jobs: going }));
    expect([second.deletes, second.writesStatus]).toEqual([[], false]);
    const gone = { jobs: [], confirmedMissing: ['etl-a'] };
    const end = decided(lookAfter(first, spec, gone), 15);
    expect(end.step('a')).toMatchObject({
      state: 'Failed',
      reason: 'Shutdown',
      message: 'Job etl-a was deleted because the flow was shut down (spec.shutdown)',
    });
    expect(end.status).toMatchObject({ state: 'Failed', reason: 'Shutdown' });
    expect(end.status.message).toContain('a, b, c');
  });

  it('writes an attempt down before its Job is deleted (law 3)', () => {
    const unknown = started([record('a', 'Waiting'), ...entries.slice(1)]);
    const first = decided(look(spec, { jobs }, unknown));
    expect(first.deletes).toEqual([]);
    expect(first.step('a').jobName).toBe('etl-a');
    expect(first.decision.requeueAtMs).toBeDefined();
    expect(decided(lookAfter(first, spec, { jobs })).deletes).toHaveLength(1);
  });

  it('knows its deletion again that was never recorded', () => {
    const end = decided(look(spec, { jobs: [], confirmedMissing: ['etl-a'] }));
    expect(end.step('a').reason).toBe('Shutdown');
  });

  it('records the result of a Job that ended before it could be deleted', () => {
    const first = decided(look(spec));
    const end = decided(lookAfter(first, spec, { jobs: [job('a', 'complete')] }));
    expect(end.step('a').state).toBe('Succeed');
  });

  it('is set later than Stop, and deletes what Stop left running', () => {
    const stopped = decided(look({ shutdown: 'Stop' }));
    const result = decided(lookAfter(stopped, spec, { jobs }));
    expect(result.deletes).toMatchObject([{ target: { name: 'etl-a' } }]);
  });

  it('deletes the Jobs of a suspended flow instead of suspending them', () => {
    const result = decided(look({ ...spec, suspend: true }));
    expect([result.deletes.length, result.patches]).toEqual([1, []]);
    expect(result.status).toMatchObject({ state: 'Suspended', reason: 'ShuttingDown' });
    const gone = { jobs: [], confirmedMissing: ['etl-a'] };
    const end = decided(lookAfter(result, { ...spec, suspend: true }, gone));
    expect(end.status).toMatchObject({ state: 'Failed', reason: 'Shutdown' });
    expect(end.events).not.toContain('Resumed');
  });
});

describe('spec.shutdown before the start and after the end (rule 25)', () => {
  const shutDown = { shutdown: 'Stop' } as const;
  const skipped: readonly StepRecord[] = steps.map(({ name }) =>
    record(name, 'Skipped', { reason: 'Shutdown', message: 'spec.shutdown is Stop' }),
  );

  it.each([
    ['at once', {}],
    ['while it is suspended', { suspend: true }],
    ['while a JobTemplate is missing', { templatePolicy: 'PinAtStart' }],
  ] as const)('ends a flow that has not started, %s, without a start', (_, more) => {
    const result = decided(snapshot(flow(steps, { spec: { ...shutDown, ...more } })));
    expect(result.creates).toEqual([]);
    expect(result.status).toMatchObject({ state: 'Failed', reason: 'Shutdown' });
    expect(result.status.startTime).toBeUndefined();
    expect(result.status.jobStatusList).toEqual(skipped);
  });

  it('asks the clock nothing about a start that does not come', () => {
    const spec = { ...shutDown, startDeadlineSeconds: 60 };
    expect(decided(snapshot(flow(steps, { spec }))).decision.requeueAtMs).toBeUndefined();
  });

  it('starts such a flow by hand only, once it is taken back', () => {
    const status = decided(snapshot(flow(steps, { spec: shutDown }))).status;
    const back = { status, generation: 2 };
    expect(decided(snapshot(flow(steps, back))).creates).toEqual([]);
    const retried = decided(withRetry(snapshot(flow(steps, { ...back, retry: '1' }))));
    expect(retried.creates).toEqual(['etl-a', 'etl-c', 'etl-d']);
    expect(retried.status.state).toBe('Running');
  });

  it('has no effect after the end', () => {
    const ended = started([record('d', 'Succeed')], { state: 'Succeed', completionTime: at(9) });
    const result = decided(
      snapshot(flow([step('d')], { spec: shutDown, status: ended, generation: 2 })),
    );
    expect(result.status).toMatchObject({ state: 'Succeed', completionTime: at(9) });
  });

  it('refuses a retry while it is set, and says what to do (rule 13)', () => {
    const failed = [record('a', 'Failed'), ...skipped.slice(1)];
    const status = started(failed, { state: 'Failed', reason: 'Shutdown', completionTime: at(9) });
    const refused = decided(look(shutDown, { jobs: [] }, status, { retry: '1' }));
    expect(refused.creates).toEqual([]);
    expect(refused.condition('RetryRefused')).toBe('True/Shutdown');
    const { message } =
      refused.status.conditions?.find(({ type }) => type === 'RetryRefused') ?? {};
    expect(message).toBe('nothing is retried: spec.shutdown is Stop: remove it first, then retry');
    expect(refused.events).toContain('RetryRefused');
    const accepted = decided(withRetry(look({}, { jobs: [] }, status, { retry: '2' })));
    expect(accepted.creates).toEqual(['etl-a-r1', 'etl-c', 'etl-d']);
  });
});
