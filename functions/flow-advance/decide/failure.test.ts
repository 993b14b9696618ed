import { describe, expect, it } from 'vitest';
import type { JobFlowSpec, StepRecord } from '#shared/api/job-flow.ts';
import { at, flow, job, record, snapshot, started, step, t0 } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';
import { resources } from '#shared/domain/resources.ts';

/** bad fails; after-bad depends on it; slow runs beside it; after-slow has not started yet. */
const steps = [
  step('bad'),
  step('after-bad', { after: ['bad'] }),
  step('far', { after: ['after-bad'] }),
  step('slow'),
  step('after-slow', { after: ['slow'] }),
];
const entries = [
  record('bad', 'Running'),
  record('after-bad', 'Waiting'),
  record('far', 'Waiting'),
  record('slow', 'Running'),
  record('after-slow', 'Waiting'),
];

function flowWith(
  failurePolicy: NonNullable<JobFlowSpec['failurePolicy']>,
  records: readonly StepRecord[] = entries,
) {
  return flow(steps, { spec: { failurePolicy }, status: started(records) });
}

describe('ContinueIndependent', () => {
  it('skips what depends on the failed step, at any distance, and nothing else', () => {
    const jobs = [job('bad', 'failed'), job('slow', 'running')];
    const result = decided(snapshot(flow(steps, { status: started(entries) }), { jobs }));
    expect(result.step('after-bad')).toMatchObject({ state: 'Skipped', reason: 'UpstreamFailed' });
    expect(result.step('after-bad').message).toBe('it depends on bad, which failed');
    expect(result.step('far')).toMatchObject({
      state: 'Skipped',
      reason: 'UpstreamFailed',
      message: 'a step that it depends on was skipped',
    });
    expect(result.step('after-slow').state).toBe('Waiting');
    expect(result.condition('StepFailed')).toBe('True/StepFailed');
    expect(result.status.state).toBe('Running');
    expect(result.condition('Failed')).toBeUndefined();
  });

  it('blames of several dependencies those that failed', () => {
    const joined = [step('bad'), step('slow'), step('both', { after: ['slow', 'bad'] })];
    const jobs = [job('bad', 'failed'), job('slow', 'running')];
    const status = started([record('bad', 'Running'), record('slow', 'Running')]);
    const result = decided(snapshot(flow(joined, { status }), { jobs }));
    expect(result.step('both').message).toBe('it depends on bad, which failed');
  });

  it('starts an independent step after the failure', () => {
    const jobs = [job('bad', 'failed'), job('slow', 'complete')];
    const result = decided(snapshot(flowWith('ContinueIndependent'), { jobs }));
    expect(result.creates).toEqual(['etl-after-slow']);
  });

  it('is Failed when nothing runs or can start any more (rule 12)', () => {
    const records = [
      record('bad', 'Failed', { reason: 'BackoffLimitExceeded', message: 'too often' }),
      record('after-bad', 'Skipped'),
      record('far', 'Skipped'),
      record('slow', 'Succeed', { completionTime: at(5) }),
      record('after-slow', 'Running'),
    ];
    const jobs = [job('after-slow', 'complete')];
    const result = decided(snapshot(flowWith('ContinueIndependent', records), { jobs }), 20);
    expect(result.status).toMatchObject({
      state: 'Failed',
      completionTime: at(9),
      progress: '2/5',
    });
    expect(result.status.message).toBe('failed: bad (BackoffLimitExceeded: too often)');
    expect(result.condition('Failed')).toBe('True/StepFailed');
    expect(result.condition('Complete')).toBeUndefined();
  });
});

describe('FailFast', () => {
  it('starts nothing new, lets run what runs', () => {
    const jobs = [job('bad', 'failed'), job('slow', 'complete')];
    const result = decided(snapshot(flowWith('FailFast'), { jobs }));
    expect(result.creates).toEqual([]);
    expect(result.deletes).toEqual([]);
    expect(result.step('after-slow')).toMatchObject({ state: 'Skipped', reason: 'FailFast' });
    expect(result.status.state).toBe('Failed');
  });

  it('is not Failed before what runs has finished (argo-workflows#13806)', () => {
    const jobs = [job('bad', 'failed'), job('slow', 'running')];
    const result = decided(snapshot(flowWith('FailFast'), { jobs }));
    expect(result.status.state).toBe('Running');
    expect(result.step('slow').state).toBe('Running');
  });

  it('gives up a retry that has not started: the step has failed already', () => {
    const retrying = [step('bad'), step('flaky', { retryPolicy: { limit: 2 } })];
    const status = started([
      record('bad', 'Running'),
      record('flaky', 'Waiting', { attempt: 1, reason: 'RetryBackoff', nextRetryTime: at(100) }),
    ]);
    const spec = { failurePolicy: 'FailFast' } as const;
    const jobs = [job('bad', 'failed'), job('flaky', 'failed')];
    const result = decided(snapshot(flow(retrying, { spec, status }), { jobs }), 20);
    expect(result.step('flaky')).toMatchObject({
      state: 'Failed',
      reason: 'RetryAbandoned',
      attempt: 0,
    });
    expect(result.status.state).toBe('Failed');
    expect(result.decision.requeueAtMs).toBeUndefined();
  });
});

it.each(['FailFast', 'CancelRunning'] as const)(
  '%s stops and cancels nothing for a step that was skipped, where none failed',
  (policy) => {
    const records = [
      record('bad', 'Skipped'),
      record('after-bad', 'Waiting'),
      record('far', 'Waiting'),
      record('slow', 'Running'),
      record('after-slow', 'Waiting'),
    ];
    const jobs = [job('slow', 'running')];
    const result = decided(snapshot(flowWith(policy, records), { jobs }));
    expect(result.step('after-bad').state).toBe('Skipped');
    expect(result.step('slow').reason).toBeUndefined();
    expect(result.step('after-slow').state).toBe('Waiting');
    expect(result.deletes).toEqual([]);
  },
);

describe('CancelRunning', () => {
  it('deletes what runs, together with its Pods, and waits until it is gone', () => {
    const jobs = [job('bad', 'failed'), job('slow', 'running')];
    const result = decided(snapshot(flowWith('CancelRunning'), { jobs }));
    expect(result.deletes).toMatchObject([
      {
        resource: resources.Job,
        target: { name: 'etl-slow' },
        uid: 'uid-of-etl-slow',
        propagation: 'Foreground',
      },
    ]);
    expect(result.step('slow')).toMatchObject({ state: 'Running', reason: 'Cancelling' });
    expect(result.step('after-slow')).toMatchObject({ state: 'Skipped' });
    expect(result.status.state).toBe('Running');
  });

  it('writes an attempt down before it deletes its Job', () => {
    const records = entries.map((entry) =>
      entry.name === 'slow' ? record('slow', 'Waiting') : entry,
    );
    const jobs = [job('bad', 'failed'), job('slow', 'running')];
    const result = decided(snapshot(flowWith('CancelRunning', records), { jobs }));
    expect(result.deletes).toEqual([]);
    expect(result.step('slow')).toMatchObject({ reason: 'Cancelling', jobName: 'etl-slow' });
    expect(result.decision.requeueAtMs).toBe(t0);
    const next = flowWith('CancelRunning', result.status.jobStatusList);
    expect(decided(snapshot(next, { jobs })).deletes).toHaveLength(1);
  });

  it('deletes a Job once', () => {
    const records = entries.map((entry) =>
      entry.name === 'slow' ? { ...entry, reason: 'Cancelling' } : entry,
    );
    const jobs = [job('bad', 'failed'), job('slow', 'running', { deletionTimestamp: at(10) })];
    expect(decided(snapshot(flowWith('CancelRunning', records), { jobs })).deletes).toEqual([]);
  });

  it('is Failed when the cancelled Jobs are gone; their steps are Failed/Cancelled, without a retry', () => {
    const records = [
      record('bad', 'Failed'),
      record('after-bad', 'Skipped'),
      record('far', 'Skipped'),
      record('slow', 'Running', { reason: 'Cancelling' }),
      record('after-slow', 'Skipped'),
    ];
    const confirmedMissing = ['etl-slow'];
    const result = decided(snapshot(flowWith('CancelRunning', records), { confirmedMissing }), 15);
    expect(result.step('slow')).toMatchObject({ state: 'Failed', reason: 'Cancelled' });
    expect(result.status.state).toBe('Failed');
  });

  it('knows its own cancellation when the pass that deleted could not record it', () => {
    const records = entries.map((entry) =>
      entry.name === 'bad' ? record('bad', 'Failed') : entry,
    );
    const confirmedMissing = ['etl-slow'];
    const result = decided(snapshot(flowWith('CancelRunning', records), { confirmedMissing }));
    expect(result.step('slow').reason).toBe('Cancelled');
  });

  it.each(['ContinueIndependent', 'FailFast'] as const)(
    'is not taken for what removed a Job under %s, although another step failed',
    (policy) => {
      const records = entries.map((entry) =>
        entry.name === 'bad' ? record('bad', 'Failed') : entry,
      );
      const confirmedMissing = ['etl-slow'];
      const result = decided(snapshot(flowWith(policy, records), { confirmedMissing }));
      expect(result.step('slow').reason).toBe('ChildDeleted');
    },
  );

  it('is not taken for what removed a Job while no step has failed', () => {
    const confirmedMissing = ['etl-slow'];
    const result = decided(snapshot(flowWith('CancelRunning'), { confirmedMissing }));
    expect(result.step('slow').reason).toBe('ChildDeleted');
  });

  it('keeps the success of a Job that finished before its deletion', () => {
    const jobs = [job('bad', 'failed'), job('slow', 'complete')];
    const result = decided(snapshot(flowWith('CancelRunning'), { jobs }));
    expect(result.step('slow').state).toBe('Succeed');
    expect(result.deletes).toEqual([]);
  });
});
