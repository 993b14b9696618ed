/** The words of whole decisions about a flow that has ended or is about to. */
import { describe, expect, it } from 'vitest';
import { flow, job, record, snapshot, step } from './testing/builders.ts';
import { decided } from './testing/decided.ts';
import { hasFailed, runs, worded } from './testing/worded.ts';
import { withRejections } from './snapshot.ts';

const steps = [step('a'), step('b', { after: ['a'] })];
const status = decided(snapshot(flow(steps))).status;
const jobs = [job('a', 'failed')];
const failed = decided(snapshot(flow(steps, { status }), { jobs }), 10).status;

describe('a flow that ends reports in these words', () => {
  it('that it succeeded', () => {
    const jobStatusList = [record('a', 'Succeed'), record('b', 'Running')];
    const almost = flow(steps, { status: { ...status, jobStatusList } });
    const words = worded(snapshot(almost, { jobs: [job('b', 'complete')] }), 10);
    expect(words).toEqual([
      'flow Succeed -',
      'step a Succeed -',
      'step b Succeed -',
      'condition Accepted True Valid: the flow can be run',
      'condition Progressing False Succeed: every step succeeded',
      'condition Complete True AllStepsSucceeded: every step succeeded',
      'Event Normal Complete Completed [unknown]: every step succeeded',
      'reason Succeed: the flow is Succeed {"state":"Succeed","progress":"2/2"}',
      'reason Succeed: step b: Succeed {"step":"b","state":"Succeed","attempt":0}',
    ]);
  });

  it('that a step failed, and how to go on', () => {
    const words = worded(snapshot(flow(steps, { status }), { jobs }), 10);
    expect(words).toEqual([
      'flow Failed StepFailed: failed: a (BackoffLimitExceeded: Job has reached the specified backoff limit)',
      'step a Failed BackoffLimitExceeded: Job has reached the specified backoff limit',
      'step b Skipped UpstreamFailed: it depends on a, which failed',
      ...hasFailed,
      'condition StepFailed True StepFailed: failed: a',
      'condition Failed True StepFailed: failed: a (BackoffLimitExceeded: Job has reached the specified backoff limit)',
      'Event Warning RunStep StepFailed [a-0]: step a: BackoffLimitExceeded: Job has reached the specified backoff limit',
      'Event Warning Fail Failed [unknown]: failed: a (BackoffLimitExceeded: Job has reached the specified backoff limit); to run again the failed and skipped steps with their current templates: kubectl -n default annotate mjf etl millrace.dev/retry=1 --overwrite',
      'reason StepFailed: failed: a (BackoffLimitExceeded: Job has reached the specified backoff limit) {"state":"Failed","progress":"0/2"}',
      'reason BackoffLimitExceeded: step a: Job has reached the specified backoff limit {"step":"a","state":"Failed","attempt":0}',
      'reason UpstreamFailed: step b: it depends on a, which failed {"step":"b","state":"Skipped","attempt":0}',
    ]);
  });

  it('that a Job is gone whose end was never seen', () => {
    const gone =
      'Job etl-a is gone and its end was not seen, so its result is not known: it may have been deleted while it ran, or have ended and been removed by a TTL; kubectl -n default events --for job/etl-a';
    const words = worded(snapshot(flow(steps, { status }), { confirmedMissing: ['etl-a'] }), 10);
    expect(words).toEqual([
      `flow Failed StepFailed: failed: a (ChildDeleted: ${gone})`,
      `step a Failed ChildDeleted: ${gone}`,
      'step b Skipped UpstreamFailed: it depends on a, which failed',
      ...hasFailed,
      'condition StepFailed True StepFailed: failed: a',
      `condition Failed True StepFailed: failed: a (ChildDeleted: ${gone})`,
      `Event Warning RunStep StepFailed [a-0]: step a: ChildDeleted: ${gone}`,
      `Event Warning Fail Failed [unknown]: failed: a (ChildDeleted: ${gone}); to run again the failed and skipped steps with their current templates: kubectl -n default annotate mjf etl millrace.dev/retry=1 --overwrite`,
      `reason StepFailed: failed: a (ChildDeleted: ${gone}) {"state":"Failed","progress":"0/2"}`,
      `reason ChildDeleted: step a: ${gone} {"step":"a","state":"Failed","attempt":0}`,
      'reason UpstreamFailed: step b: it depends on a, which failed {"step":"b","state":"Skipped","attempt":0}',
    ]);
  });

  it('that a Job is invalid', () => {
    const rejection = { name: 'etl-a', code: 'Invalid', message: 'spec.x: must be y' } as const;
    const words = worded(withRejections(snapshot(flow(steps)), [rejection]));
    expect(words).toEqual([
      'flow Failed StepFailed: failed: a (InvalidJob: spec.x: must be y)',
      'step a Failed InvalidJob: spec.x: must be y',
      'step b Skipped UpstreamFailed: it depends on a, which failed',
      ...hasFailed,
      'condition StepFailed True StepFailed: failed: a',
      'condition Failed True StepFailed: failed: a (InvalidJob: spec.x: must be y)',
      'Event Warning RunStep StepFailed [a-0]: step a: InvalidJob: spec.x: must be y',
      'Event Warning Fail Failed [unknown]: failed: a (InvalidJob: spec.x: must be y); to run again the failed and skipped steps with their current templates: kubectl -n default annotate mjf etl millrace.dev/retry=1 --overwrite',
      'reason StepFailed: failed: a (InvalidJob: spec.x: must be y) {"state":"Failed","progress":"0/2"}',
      'reason InvalidJob: step a: spec.x: must be y {"step":"a","state":"Failed","attempt":0}',
      'reason UpstreamFailed: step b: it depends on a, which failed {"step":"b","state":"Skipped","attempt":0}',
    ]);
  });

  it('that it cannot be run', () => {
    const cyclic = [step('a', { after: ['b'] }), step('b', { after: ['a'] })];
    const words = worded(snapshot(flow(cyclic)));
    expect(words).toEqual([
      'flow Failed CycleDetected: the dependencies form a cycle: a -> b -> a',
      'condition Accepted False CycleDetected: the dependencies form a cycle: a -> b -> a',
      'condition Progressing False Failed: the flow has failed',
      'condition Failed True CycleDetected: the dependencies form a cycle: a -> b -> a',
      'Event Warning Validate CycleDetected [unknown]: the dependencies form a cycle: a -> b -> a',
      'Event Warning Fail Failed [unknown]: the dependencies form a cycle: a -> b -> a',
      'reason CycleDetected: the dependencies form a cycle: a -> b -> a {"state":"Failed","progress":""}',
    ]);
  });

  it('that it could not be started in time', () => {
    const words = worded(snapshot(flow(steps, { spec: { startDeadlineSeconds: 60 } })), 60);
    expect(words).toEqual([
      'flow Failed StartDeadlineExceeded: no step could be started within 60 s (spec.startDeadlineSeconds)',
      'step a Skipped StartDeadlineExceeded: no step could be started within 60 s (spec.startDeadlineSeconds)',
      'step b Skipped StartDeadlineExceeded: no step could be started within 60 s (spec.startDeadlineSeconds)',
      ...hasFailed,
      'condition Failed True StartDeadlineExceeded: no step could be started within 60 s (spec.startDeadlineSeconds)',
      'Event Warning Fail Failed [unknown]: no step could be started within 60 s (spec.startDeadlineSeconds); to run again the failed and skipped steps with their current templates: kubectl -n default annotate mjf etl millrace.dev/retry=1 --overwrite',
      'reason StartDeadlineExceeded: no step could be started within 60 s (spec.startDeadlineSeconds) {"state":"Failed","progress":"0/2"}',
      'reason StartDeadlineExceeded: step a: no step could be started within 60 s (spec.startDeadlineSeconds) {"step":"a","state":"Skipped","attempt":0}',
      'reason StartDeadlineExceeded: step b: no step could be started within 60 s (spec.startDeadlineSeconds) {"step":"b","state":"Skipped","attempt":0}',
    ]);
  });

  it('that its time after the end has passed', () => {
    const spec = { ttlSecondsAfterFinished: 5 };
    const words = worded(snapshot(flow(steps, { status: failed, spec })), 60);
    expect(words).toEqual([
      'flow Failed StepFailed: failed: a (BackoffLimitExceeded: Job has reached the specified backoff limit)',
      'step a Failed BackoffLimitExceeded: Job has reached the specified backoff limit',
      'step b Skipped UpstreamFailed: it depends on a, which failed',
      ...hasFailed,
      'condition StepFailed True StepFailed: failed: a',
      'condition Failed True StepFailed: failed: a (BackoffLimitExceeded: Job has reached the specified backoff limit)',
      'reason TtlExpired: ttlSecondsAfterFinished of the flow has passed undefined',
    ]);
  });
});

describe('a flow that cancels its running Jobs reports in these words', () => {
  const three = [step('a'), step('c'), step('d', { after: ['c'] })];
  const spec = { failurePolicy: 'CancelRunning' } as const;
  const started = decided(snapshot(flow(three, { spec }))).status;
  const running = flow(three, { spec, status: started });
  const both = [...jobs, job('c', 'running')];

  it('that a step is being cancelled', () => {
    const words = worded(snapshot(running, { jobs: both }), 10);
    expect(words).toEqual([
      'flow Running Cancelling: step c: deleted because another step failed; waiting until it is gone',
      'step a Failed BackoffLimitExceeded: Job has reached the specified backoff limit',
      'step c Running Cancelling: deleted because another step failed; waiting until it is gone',
      'step d Skipped CancelRunning: a failed and the failure policy is CancelRunning',
      ...runs.slice(0, 1),
      'condition Progressing True Cancelling: step c: deleted because another step failed; waiting until it is gone',
      'condition StepFailed True StepFailed: failed: a',
      'Event Warning RunStep StepFailed [a-0]: step a: BackoffLimitExceeded: Job has reached the specified backoff limit',
      'reason Cancelling: step c: deleted because another step failed; waiting until it is gone {"state":"Running","progress":"0/3"}',
      'reason BackoffLimitExceeded: step a: Job has reached the specified backoff limit {"step":"a","state":"Failed","attempt":0}',
      'reason Cancelling: step c: deleted because another step failed; waiting until it is gone {"step":"c","state":"Running","attempt":0}',
      'reason CancelRunning: step d: a failed and the failure policy is CancelRunning {"step":"d","state":"Skipped","attempt":0}',
    ]);
  });

  it('that it was cancelled', () => {
    const noted = decided(snapshot(running, { jobs: both }), 10).status;
    const gone = { jobs, confirmedMissing: ['etl-c'] };
    const words = worded(snapshot(flow(three, { spec, status: noted }), gone), 12);
    expect(words).toEqual([
      'flow Failed StepFailed: failed: a, c (BackoffLimitExceeded: Job has reached the specified backoff limit)',
      'step a Failed BackoffLimitExceeded: Job has reached the specified backoff limit',
      'step c Failed Cancelled: Job etl-c was deleted because another step failed',
      'step d Skipped CancelRunning: a failed and the failure policy is CancelRunning',
      ...hasFailed,
      'condition StepFailed True StepFailed: failed: a, c',
      'condition Failed True StepFailed: failed: a, c (BackoffLimitExceeded: Job has reached the specified backoff limit)',
      'Event Warning RunStep StepFailed [c-0]: step c: Cancelled: Job etl-c was deleted because another step failed',
      'Event Warning Fail Failed [unknown]: failed: a, c (BackoffLimitExceeded: Job has reached the specified backoff limit); to run again the failed and skipped steps with their current templates: kubectl -n default annotate mjf etl millrace.dev/retry=1 --overwrite',
      'reason StepFailed: failed: a, c (BackoffLimitExceeded: Job has reached the specified backoff limit) {"state":"Failed","progress":"0/3"}',
      'reason Cancelled: step c: Job etl-c was deleted because another step failed {"step":"c","state":"Failed","attempt":0}',
    ]);
  });
});

describe('a retry by hand is reported in these words', () => {
  const again = snapshot(flow(steps, { status: failed, retry: 'one' }), { jobs });

  it('that it was asked for', () => {
    const words = worded(again, 20);
    expect(words).toEqual([
      'flow Running -',
      'step a Waiting ManualRetry: started again by hand',
      'step b Waiting DependenciesPending: waiting for a',
      ...runs,
      'condition StepFailed False NoStepFailed: failed steps were started again',
      'condition Failed False Restarted: failed steps were started again',
      'Event Normal Retry RetryRequested [2026-01-05T10:00:09Z]: failed and skipped steps are started again by hand (millrace.dev/retry=one; another retry needs another value)',
      'reason Running: the flow is Running {"state":"Running","progress":"0/2"}',
      'reason ManualRetry: step a: started again by hand {"step":"a","state":"Waiting","attempt":1}',
      'reason DependenciesPending: step b: waiting for a {"step":"b","state":"Waiting","attempt":0}',
    ]);
  });

  it('that a step is on its way, also before its Job can be asked for', () => {
    const rejection = { name: 'etl-b', code: 'Forbidden', message: 'no' } as const;
    const words = worded(withRejections(again, [rejection]), 20);
    expect(words).toEqual([
      'flow Running -',
      'step a Waiting ManualRetry: started again by hand',
      'step b Waiting DependenciesPending: waiting for a',
      ...runs,
      'condition StepFailed False NoStepFailed: failed steps were started again',
      'condition Failed False Restarted: failed steps were started again',
      'Event Normal Retry RetryRequested [2026-01-05T10:00:09Z]: failed and skipped steps are started again by hand (millrace.dev/retry=one; another retry needs another value)',
      'reason Running: the flow is Running {"state":"Running","progress":"0/2"}',
      'reason ManualRetry: step a: started again by hand {"step":"a","state":"Waiting","attempt":1}',
      'reason DependenciesPending: step b: waiting for a {"step":"b","state":"Waiting","attempt":0}',
    ]);
  });
});
