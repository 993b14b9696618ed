import { describe, expect, it } from 'vitest';
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
import { rfc3339Micro } from '#shared/domain/time.ts';
import { decided, withRetry } from '../testing/decided.ts';
import { scheduledRetry } from './retry.ts';

const flaky = [
  step('a', { retryPolicy: { limit: 2, backoffSeconds: 30 } }),
  step('b', { after: ['a'] }),
];

it('a step that a rule FailJob of its template has ended is not tried again: that failure is final', () => {
  const conditions = [condition('Failed', { reason: 'PodFailurePolicy', message: 'exit code 42' })];
  const seen = snapshot(flow(flaky, { status: started([record('a', 'Running')]) }), {
    jobs: [job('a', 'failed', { conditions })],
  });
  const result = decided(seen, 60);
  expect(result.step('a')).toMatchObject({ state: 'Failed', reason: 'PodFailurePolicy' });
  expect(result.creates).toEqual([]);
});

it.each(['Cancelling', 'ChildTerminating'])(
  'a step whose Job is still terminating (%s) gets no second Job beside it, whatever is retried meanwhile',
  (reason) => {
    const records = [record('bad', 'Failed'), record('slow', 'Running', { reason })];
    const steps = [step('bad'), step('slow', { retryPolicy: { limit: 3, backoffSeconds: 1 } })];
    const spec = { failurePolicy: 'CancelRunning' } as const;
    const jobs = [job('bad', 'failed'), job('slow', 'running', { deletionTimestamp: at(2) })];
    let status = started(records);
    for (const second of [5, 60, 600]) {
      const look = decided(
        snapshot(flow(steps, { spec, status, retry: 'again' }), { jobs }),
        second,
      );
      expect(look.creates.filter((name) => name.startsWith('etl-slow'))).toEqual([]);
      expect(look.step('slow').state).toBe('Running');
      status = look.status;
    }
  },
);

describe('retryPolicy (rule 13)', () => {
  it('waits the backoff after the failure, in the status and as the time to look again', () => {
    const status = started([record('a', 'Running'), record('b', 'Waiting')]);
    const result = decided(snapshot(flow(flaky, { status }), { jobs: [job('a', 'failed')] }), 10);
    expect(result.step('a')).toMatchObject({
      state: 'Waiting',
      reason: 'RetryBackoff',
      attempt: 1,
      nextRetryTime: at(39),
    });
    expect(result.step('a').jobName).toBeUndefined();
    expect(result.step('b').state).toBe('Waiting');
    expect(result.decision.requeueAtMs).toBe(t0 + 39_000);
    expect(result.creates).toEqual([]);
    expect(result.events).toEqual(['StepRetrying']);
  });

  it('starts a new Job under a new name when the time has come; the failed one stays for its logs', () => {
    const waiting = record('a', 'Waiting', {
      attempt: 1,
      nextRetryTime: at(39),
      reason: 'RetryBackoff',
    });
    const status = started([waiting, record('b', 'Waiting')]);
    const jobs = [job('a', 'failed')];
    expect(decided(snapshot(flow(flaky, { status }), { jobs }), 38).creates).toEqual([]);
    const due = decided(snapshot(flow(flaky, { status }), { jobs }), 39);
    expect(due.creates).toEqual(['etl-a-r1']);
    expect(due.deletes).toEqual([]);
    expect(due.step('a')).toEqual({ name: 'a', jobName: 'etl-a-r1', state: 'Pending', attempt: 1 });
  });

  it('waits longer after each attempt, and is Failed after the last', () => {
    const second = started([record('a', 'Running', { attempt: 1 }), record('b', 'Waiting')]);
    const jobs = [job('a', 'failed'), job('a', 'failed', { attempt: 1 })];
    const next = decided(snapshot(flow(flaky, { status: second }), { jobs }), 10).step('a');
    expect(next).toMatchObject({ attempt: 2, nextRetryTime: at(69) });

    const third = started([record('a', 'Running', { attempt: 2 }), record('b', 'Waiting')]);
    const all = [...jobs, job('a', 'failed', { attempt: 2 })];
    const result = decided(snapshot(flow(flaky, { status: third }), { jobs: all }), 10);
    expect(result.step('a')).toMatchObject({ state: 'Failed', attempt: 2, jobName: 'etl-a-r2' });
    expect(result.step('b').state).toBe('Skipped');
    expect(result.status.state).toBe('Failed');
  });

  it('goes on with the dependants when a later attempt succeeds', () => {
    const status = started([record('a', 'Running', { attempt: 2 }), record('b', 'Waiting')]);
    const jobs = [
      job('a', 'failed'),
      job('a', 'failed', { attempt: 1 }),
      job('a', 'complete', { attempt: 2 }),
    ];
    expect(decided(snapshot(flow(flaky, { status }), { jobs })).creates).toEqual(['etl-b']);
  });

  it('recognises the next attempt when the pass that created it could not record it', () => {
    const status = started([record('a', 'Running'), record('b', 'Waiting')]);
    const jobs = [job('a', 'failed'), job('a', 'running', { attempt: 1 })];
    const result = decided(snapshot(flow(flaky, { status }), { jobs }), 60);
    expect(result.creates).toEqual([]);
    expect(result.step('a')).toMatchObject({ state: 'Running', attempt: 1, jobName: 'etl-a-r1' });
  });

  it('waits exactly the cap at attempt 99, however large the factor (argo-workflows#15277)', () => {
    const patient = step('a', {
      retryPolicy: { limit: 200, backoffSeconds: 10, factor: 10, capSeconds: 600 },
    });
    const failure = { reason: 'Failed', message: '', atMs: t0 };
    const next = scheduledRetry(patient, record('a', 'Running', { attempt: 98 }), failure);
    expect(next?.nextRetryTime).toBe(at(600));
    expect(
      scheduledRetry(patient, record('a', 'Running', { attempt: 99 }), failure),
    ).toBeUndefined();
  });

  it.each([10, 20])(
    'is not looked after while the flow is suspended, once it is due: %d s',
    (seconds) => {
      const waiting = record('a', 'Waiting', { attempt: 1, nextRetryTime: at(10) });
      const status = started([waiting, record('b', 'Waiting')]);
      const suspended = flow(flaky, { status, spec: { suspend: true } });
      const jobs = [job('a', 'failed')];
      const before = decided(snapshot(suspended, { jobs }), 9);
      expect(before.decision.requeueAtMs).toBe(t0 + 10_000);
      const after = decided(snapshot(suspended, { jobs }), seconds);
      expect(after.creates).toEqual([]);
      expect(after.decision.requeueAtMs).toBeUndefined();
    },
  );

  it('is not granted without a policy', () => {
    const failure = { reason: 'Failed', message: '', atMs: t0 };
    expect(scheduledRetry(step('a'), record('a', 'Running'), failure)).toBeUndefined();
  });
});

describe('retry by hand (rule 13)', () => {
  const steps = [step('ok'), step('bad'), step('after', { after: ['ok', 'bad'] })];
  const over = started(
    [record('ok', 'Succeed'), record('bad', 'Failed'), record('after', 'Skipped')],
    {
      state: 'Failed',
      completionTime: at(9),
      conditions: [
        {
          type: 'Failed',
          status: 'True',
          reason: 'StepFailed',
          message: '',
          lastTransitionTime: at(9),
        },
      ],
    },
  );

  it('starts failed steps under a new attempt, resets skipped ones, leaves succeeded ones alone', () => {
    const asked = snapshot(flow(steps, { status: over, retry: 'one' }));
    expect(decided(withRetry(asked)).creates).toEqual(['etl-bad-r1']);
    const result = decided(asked);
    expect(result.step('ok')).toEqual(record('ok', 'Succeed'));
    expect(result.step('after')).toMatchObject({ state: 'Waiting', message: 'waiting for bad' });
    expect(result.status).toMatchObject({ state: 'Running', retryNonce: 'one' });
    expect(result.status.completionTime).toBeUndefined();
    expect(result.condition('Failed')).toBe('False/Restarted');
    expect(result.events).toContain('RetryRequested');
  });

  it('happens once per value', () => {
    const first = withRetry(snapshot(flow(steps, { status: over, retry: 'one' })));
    const again = flow(steps, { status: decided(first).status, retry: 'one' });
    const jobs = [job('bad', 'failed'), job('bad', 'pending', { attempt: 1 })];
    expect(decided(snapshot(again, { jobs })).decision.plan).toEqual([]);
  });

  it('runs nothing of one that another takes the place of before it is on record', () => {
    const first = decided(snapshot(flow(steps, { status: over, retry: 'one' })));
    expect(first.creates).toEqual([]);
    const second = decided(snapshot(flow(steps, { status: over, retry: 'no-such-step@two' })));
    expect(second.creates).toEqual([]);
    expect(second.condition('RetryRefused')).toBe('True/UnknownStep');
    expect(second.step('bad')).toEqual(record('bad', 'Failed'));
    expect(second.status.completionTime).toBe(at(9));
  });

  it('does nothing to a flow that succeeded but note the value', () => {
    const status = started([record('ok', 'Succeed')], { state: 'Succeed', completionTime: at(9) });
    const result = decided(snapshot(flow([step('ok')], { status, retry: 'one' })));
    expect(result.creates).toEqual([]);
    expect(result.status).toEqual({
      ...status,
      retryNonce: 'one',
      lastUpdateTime: rfc3339Micro(t0),
    });
  });

  it('does not touch steps that are running', () => {
    const status = started([
      record('ok', 'Running'),
      record('bad', 'Failed'),
      record('after', 'Skipped'),
    ]);
    const jobs = [job('ok', 'running'), job('bad', 'failed')];
    const result = decided(withRetry(snapshot(flow(steps, { status, retry: 'one' }), { jobs })));
    expect(result.creates).toEqual(['etl-bad-r1']);
    expect(result.step('ok')).toMatchObject({ state: 'Running', attempt: 0 });
  });

  it('uses the Job of the new attempt only (argo-workflows#15802)', () => {
    const first = decided(snapshot(flow(steps, { status: over, retry: 'one' })));
    const jobs = [job('bad', 'failed'), job('bad', 'complete', { attempt: 1 })];
    const status = first.status;
    const result = decided(snapshot(flow(steps, { status, retry: 'one' }), { jobs }));
    expect(result.step('bad').state).toBe('Succeed');
    expect(result.creates).toEqual(['etl-after']);
  });

  it('takes a Succeed with it once every step has succeeded', () => {
    const status = started(
      [
        record('ok', 'Succeed'),
        record('bad', 'Succeed', { attempt: 1 }),
        record('after', 'Running'),
      ],
      {
        retryNonce: 'one',
      },
    );
    const result = decided(
      snapshot(flow(steps, { status, retry: 'one' }), { jobs: [job('after', 'complete')] }),
    );
    expect(result.status.state).toBe('Succeed');
    expect(result.condition('Complete')).toBe('True/AllStepsSucceeded');
  });

  it('fails the step when it was asked for so often that the name of the Job grew too long', () => {
    const name = 'x'.repeat(55);
    const status = started([record(name, 'Failed', { attempt: 99 })], { state: 'Failed' });
    const again = flow([step(name)], { status, retry: 'once more' });
    const result = decided(snapshot(again));
    expect(result.creates).toEqual([]);
    expect(result.step(name)).toMatchObject({
      state: 'Failed',
      reason: 'InvalidJob',
      message: `"etl-${name}-r100" cannot be the name of a Job`,
    });
  });
});
