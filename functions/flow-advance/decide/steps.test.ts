import { describe, expect, it } from 'vitest';
import type { StepState } from '#shared/api/job-flow.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { at, condition, flow, job, record, snapshot, started, step } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const steps = [step('a'), step('b', { after: ['a'] })];
const running = started([record('a', 'Running'), record('b', 'Waiting')]);

describe('what a Job is doing becomes the state of its step', () => {
  it.each([
    [
      'created, not yet seen by the Job controller',
      job('a', 'pending', { creationTimestamp: at(60) }),
      'Pending',
      undefined,
    ],
    ['running', job('a', 'running'), 'Running', undefined],
    ['succeeded, Pods terminating', job('a', 'criteriaMet'), 'Running', 'SuccessCriteriaMet'],
    [
      'failed, Pods terminating',
      job('a', 'running', { conditions: [condition('FailureTarget', { reason: 'Deadline' })] }),
      'Running',
      'FailureTarget',
    ],
    ['suspended by hand or template', job('a', 'suspended'), 'Suspended', 'ManualGate'],
    [
      'suspended before it ever ran',
      job('a', 'pending', { suspend: true }),
      'Suspended',
      'ManualGate',
    ],
    [
      'suspended after it ran',
      job('a', 'suspended', { startTime: at(1) }),
      'Suspended',
      'ManualGate',
    ],
    [
      'failed without a reason',
      job('a', 'failed', { conditions: [condition('Failed')] }),
      'Failed',
      'Failed',
    ],
    [
      'suspended, Pods still being stopped',
      job('a', 'running', { suspend: true }),
      'Running',
      'Suspending',
    ],
    [
      'suspended by the flow',
      job('a', 'suspended', { annotations: { [annotations.suspendedBy]: 'x' } }),
      'Suspended',
      'FlowSuspended',
    ],
    [
      'being deleted',
      job('a', 'running', { deletionTimestamp: at(5) }),
      'Running',
      'ChildTerminating',
    ],
    ['complete', job('a', 'complete'), 'Succeed', undefined],
    ['failed', job('a', 'failed'), 'Failed', 'BackoffLimitExceeded'],
    ['complete although suspended', job('a', 'complete', { suspend: true }), 'Succeed', undefined],
    [
      'complete although being deleted',
      job('a', 'complete', { deletionTimestamp: at(9) }),
      'Succeed',
      undefined,
    ],
  ] as const)('%s', (_, child, state: StepState, reason) => {
    const status = started([]);
    const result = decided(snapshot(flow(steps, { status }), { jobs: [child] }), 60);
    expect(result.step('a').state).toBe(state);
    expect(result.step('a').reason).toBe(reason);
  });

  it.each([
    [
      'succeeded, Pods terminating',
      job('a', 'criteriaMet'),
      'has succeeded; its Pods are terminating',
    ],
    [
      'failed, Pods terminating',
      job('a', 'running', { conditions: [condition('FailureTarget', { reason: 'Deadline' })] }),
      'has failed (Deadline); its Pods are terminating',
    ],
    [
      'failed, Pods terminating, without a reason',
      job('a', 'running', { conditions: [condition('FailureTarget')] }),
      'has failed (unknown); its Pods are terminating',
    ],
    [
      'failed without a message',
      job('a', 'failed', { conditions: [condition('Failed')] }),
      'the Job failed',
    ],
    [
      'both complete and failed',
      job('a', 'complete', { conditions: [condition('Complete'), condition('Failed')] }),
      'the Job is both Complete and Failed',
    ],
    [
      'suspended by hand',
      job('a', 'suspended'),
      'run millrace approve, or set its spec.suspend to false',
    ],
    [
      'being stopped',
      job('a', 'running', { suspend: true }),
      'the Pods of the Job are being stopped',
    ],
    [
      'suspended by the flow',
      job('a', 'suspended', { annotations: { [annotations.suspendedBy]: 'x' } }),
      'suspended together with the flow',
    ],
    [
      'being deleted',
      job('a', 'running', { deletionTimestamp: at(5) }),
      'waiting until it and its Pods are gone',
    ],
  ])('also becomes its message: %s', (_, child, words) => {
    const result = decided(snapshot(flow(steps, { status: started([]) }), { jobs: [child] }), 60);
    expect(result.step('a').message).toContain(words);
  });

  it.each(['False', 'Unknown'])('a condition that is %s says nothing of it', (status) => {
    const types = ['Complete', 'Failed', 'SuccessCriteriaMet', 'FailureTarget', 'Suspended'];
    const conditions = types.map((type) => condition(type, { status }));
    const at60 = (child: ObservedJob) =>
      decided(snapshot(flow(steps, { status: started([]) }), { jobs: [child] }), 60).step('a');
    expect(at60(job('a', 'running', { conditions }))).toMatchObject({ state: 'Running' });
    expect(at60(job('a', 'running', { conditions })).reason).toBeUndefined();
    const stopping = job('a', 'running', { conditions, suspend: true });
    expect(at60(stopping)).toMatchObject({ state: 'Running', reason: 'Suspending' });
  });

  it('both Complete and Failed is no state of a Job: Failed/UnknownState, never silent', () => {
    const child = job('a', 'complete', {
      conditions: [condition('Complete'), condition('Failed')],
    });
    const result = decided(snapshot(flow(steps, { status: running }), { jobs: [child] }));
    expect(result.step('a')).toMatchObject({ state: 'Failed', reason: 'UnknownState' });
    expect(result.step('b').state).toBe('Skipped');
    expect(result.status.state).toBe('Failed');
  });

  it.each([
    'BackoffLimitExceeded',
    'DeadlineExceeded',
    'PodFailurePolicy',
    'MaxFailedIndexesExceeded',
  ])(
    'every reason of a failed Job ends step and flow in Failed: %s (volcano#4134, #4442)',
    (reason) => {
      for (const state of ['Pending', 'Running', 'Suspended'] as const) {
        const status = started([record('a', state), record('b', 'Waiting')]);
        const child = job('a', 'failed', { conditions: [condition('Failed', { reason })] });
        const result = decided(snapshot(flow(steps, { status }), { jobs: [child] }));
        expect(result.step('a')).toMatchObject({ state: 'Failed', reason });
        expect(result.status.state).toBe('Failed');
      }
    },
  );

  it.each([
    ['the Job itself', { completionTime: at(7) }, 7],
    ['its condition, where the Job has no completionTime', {}, 9],
  ])('takes the end of a step that succeeded from %s', (_, fields, seconds) => {
    const child = job('a', 'running', { conditions: [condition('Complete')], ...fields });
    const result = decided(snapshot(flow(steps, { status: running }), { jobs: [child] }), 60);
    expect(result.step('a')).toMatchObject({ state: 'Succeed', completionTime: at(seconds) });
  });

  it('takes the end of a failed step from its Failed condition: such a Job has no completionTime', () => {
    const result = decided(
      snapshot(flow(steps, { status: running }), { jobs: [job('a', 'failed')] }),
    );
    expect(result.step('a')).toMatchObject({ startTime: at(1), completionTime: at(9) });
  });
});

describe('a step whose end is on record (rule 10)', () => {
  it.each([
    ['Succeed', job('a', 'running')],
    ['Succeed', job('a', 'failed')],
    ['Failed', job('a', 'running')],
    ['Failed', job('a', 'complete')],
  ] as const)('stays %s, whatever its Job is doing', (state, child) => {
    const entry = record('a', state, { completionTime: at(3) });
    const status = started([entry, record('c', 'Running')]);
    const jobs = [child, job('c', 'running')];
    const result = decided(snapshot(flow([step('a'), step('c')], { status }), { jobs }), 60);
    expect(result.step('a')).toEqual(entry);
  });
});

describe('a Job that is gone before its end was recorded (rule 20)', () => {
  const gone = { confirmedMissing: ['etl-a'] };

  it.each(['Pending', 'Suspended'] as const)('makes the step Failed when it was %s', (state) => {
    const status = started([record('a', state), record('b', 'Waiting')]);
    const result = decided(snapshot(flow(steps, { status }), gone));
    expect(result.step('a')).toMatchObject({ state: 'Failed', reason: 'ChildDeleted' });
  });

  it('was deleted before its end where that was seen; otherwise its result is not known', () => {
    const messageAfter = (reason: string | undefined) => {
      const seen = record('a', 'Running', reason === undefined ? {} : { reason });
      const status = started([seen, record('b', 'Waiting')]);
      return decided(snapshot(flow(steps, { status }), gone)).step('a').message;
    };
    expect(messageAfter('ChildTerminating')).toBe('Job etl-a was deleted before it finished');
    expect(messageAfter(undefined)).toContain('its result is not known');
    expect(messageAfter('Suspending')).toContain('its result is not known');
  });

  it('makes the step Failed/ChildDeleted and is not created again', () => {
    const result = decided(snapshot(flow(steps, { status: running }), gone));
    expect(result.step('a')).toMatchObject({ state: 'Failed', reason: 'ChildDeleted' });
    expect(result.creates).toEqual([]);
    expect(result.status.state).toBe('Failed');
  });

  it('is created anew as the next attempt where a retryPolicy grants one, once that is on record', () => {
    const retried = [step('a', { retryPolicy: { limit: 1, backoffSeconds: 0 } })];
    const status = started([record('a', 'Running')]);
    const noted = decided(snapshot(flow(retried, { status }), gone));
    expect(noted.creates).toEqual([]);
    expect(noted.step('a')).toMatchObject({ state: 'Waiting', attempt: 1, nextRetryTime: at(1) });
    const next = decided(snapshot(flow(retried, { status: noted.status })), 1);
    expect(next.creates).toEqual(['etl-a-r1']);
  });

  it('is not taken for deleted while that is not confirmed: the view may be behind', () => {
    const result = decided(snapshot(flow(steps, { status: running })));
    expect(result.creates).toEqual([]);
    expect(result.step('a').state).toBe('Running');
  });

  it('is not taken for deleted when neither the status nor anybody says that it existed', () => {
    const status = started([record('a', 'Waiting'), record('b', 'Waiting')]);
    const result = decided(snapshot(flow(steps, { status })));
    expect(result.creates).toEqual(['etl-a']);
  });

  it('was deleted when it was seen, although the status does not record it yet', () => {
    const status = started([record('a', 'Waiting'), record('b', 'Waiting')]);
    const result = decided(snapshot(flow(steps, { status }), gone));
    expect(result.creates).toEqual([]);
    expect(result.step('a')).toMatchObject({
      state: 'Failed',
      reason: 'ChildDeleted',
      jobName: 'etl-a',
      attempt: 0,
    });
  });

  it.each([{ seen: true }, { seen: false }])(
    'had succeeded before anybody wrote down that it began, when a dependant was started: %o',
    ({ seen }) => {
      const status = started([record('a', 'Waiting'), record('b', 'Waiting')]);
      const jobs = [job('b', 'running')];
      const result = decided(snapshot(flow(steps, { status }), { ...(seen ? gone : {}), jobs }));
      expect(result.creates).toEqual([]);
      expect(result.step('a')).toMatchObject({ state: 'Succeed', jobName: 'etl-a' });
    },
  );

  it('had succeeded when a dependant of its dependant was started', () => {
    const chain = [step('a'), step('b', { after: ['a'] }), step('c', { after: ['b'] })];
    const status = started(chain.map(({ name }) => record(name, 'Waiting')));
    const result = decided(snapshot(flow(chain, { status }), { jobs: [job('c', 'running')] }));
    expect(result.creates).toEqual([]);
    expect(['a', 'b', 'c'].map((name) => result.step(name).state)).toEqual([
      'Succeed',
      'Succeed',
      'Running',
    ]);
  });

  it('has not succeeded when it waits for its second attempt: what began waited for the first', () => {
    const retried = record('a', 'Waiting', { attempt: 1, reason: 'RetryBackoff' });
    const status = started([retried, record('b', 'Waiting')]);
    const result = decided(snapshot(flow(steps, { status }), { jobs: [job('b', 'running')] }));
    expect(result.creates).toEqual(['etl-a-r1']);
  });

  it('had succeeded when a dependant of it was started: only that starts a dependant', () => {
    const result = decided(
      snapshot(flow(steps, { status: running }), { ...gone, jobs: [job('b', 'running')] }),
    );
    expect(result.step('a').state).toBe('Succeed');
    expect(result.step('b').state).toBe('Running');
  });

  it.each(['Running', 'Succeed', 'Failed'] as const)(
    'had succeeded when a dependant is on record as %s, whose own Job is gone too',
    (state) => {
      const entries = [record('a', 'Running'), record('b', state, { startTime: at(7) })];
      const result = decided(snapshot(flow(steps, { status: started(entries) }), gone), 60);
      expect(result.step('a')).toMatchObject({ state: 'Succeed', completionTime: at(7) });
    },
  );

  it.each(['Waiting', 'Blocked', 'Skipped'] as const)(
    'is not taken for a success by a dependant that is %s',
    (state) => {
      const entries = [record('a', 'Running'), record('b', state)];
      const result = decided(snapshot(flow(steps, { status: started(entries) }), gone), 60);
      expect(result.step('a')).toMatchObject({ state: 'Failed', reason: 'ChildDeleted' });
    },
  );

  it('had failed when a later attempt is there, also for a step that waited for that one', () => {
    const retried = [step('a', { retryPolicy: { limit: 2 } }), step('b', { after: ['a'] })];
    const jobs = [
      job('a', 'failed', { attempt: 1 }),
      job('a', 'complete', { attempt: 2 }),
      job('b', 'running'),
    ];
    const result = decided(snapshot(flow(retried, { status: running }), { ...gone, jobs }));
    expect(result.step('a')).toMatchObject({ state: 'Succeed', attempt: 2, jobName: 'etl-a-r2' });
    expect(result.step('b').state).toBe('Running');
  });

  it('was not deleted for a deadline that passed after a later attempt had succeeded', () => {
    const retried = [step('a', { retryPolicy: { limit: 1 } }), step('b', { after: ['a'] })];
    const jobs = [job('a', 'complete', { attempt: 1 }), job('b', 'complete')];
    const late = flow(retried, { status: running, spec: { activeDeadlineSeconds: 5 } });
    const result = decided(snapshot(late, { ...gone, jobs }), 60);
    expect(result.step('a')).toMatchObject({ state: 'Succeed', attempt: 1 });
    expect(result.status.state).toBe('Succeed');
  });

  it.each(['Complete', 'SuccessCriteriaMet'] as const)(
    'has its end recorded at the start of its first dependant, also one that starts on %s',
    (startOn) => {
      const flows = [
        step('a'),
        step('b', { after: ['a'], startOn }),
        step('c', { after: ['a'], startOn }),
      ];
      const jobs = [
        job('b', 'running', { startTime: at(12) }),
        job('c', 'running', { startTime: at(9) }),
      ];
      const result = decided(snapshot(flow(flows, { status: running }), { ...gone, jobs }), 60);
      expect(result.step('a').completionTime).toBe(at(9));
    },
  );

  it('had ended before the creation of its dependant, which has not started yet', () => {
    const { startTime, ...pending } = job('b', 'pending', { creationTimestamp: at(9) });
    expect(startTime).toBeUndefined();
    const jobs = [pending];
    const result = decided(snapshot(flow(steps, { status: running }), { ...gone, jobs }), 60);
    expect(result.step('a')).toMatchObject({ state: 'Succeed', completionTime: at(9) });
  });

  it('a Job that is being deleted is waited for', () => {
    const jobs = [job('a', 'running', { deletionTimestamp: at(3) })];
    const result = decided(snapshot(flow(steps, { status: running }), { jobs }), 60);
    expect(result.creates).toEqual([]);
    expect(result.step('a')).toMatchObject({ state: 'Running', reason: 'ChildTerminating' });
    expect(result.status.state).toBe('Running');
  });

  it('a foreign Job under the name decides nothing: it is not in the snapshot (volcano#3770)', () => {
    const status = started([record('a', 'Waiting'), record('b', 'Waiting')]);
    const result = decided(snapshot(flow(steps, { status })));
    expect(result.step('b').state).toBe('Waiting');
  });
});

describe('a step that another worker had started from an older view', () => {
  it('is not skipped any more once its Job is seen', () => {
    const status = started([record('a', 'Succeed'), record('b', 'Skipped')]);
    const result = decided(snapshot(flow(steps, { status }), { jobs: [job('b', 'running')] }), 60);
    expect(result.step('b').state).toBe('Running');
  });
});
