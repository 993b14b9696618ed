import { describe, expect, it } from 'vitest';
import type { JobFlowStatus } from '#shared/api/job-flow.ts';
import { annotations } from '#shared/domain/labels.ts';
import { eventName } from '#shared/kube/cluster-event.ts';
import {
  at,
  condition,
  flow,
  flowUid,
  job,
  record,
  snapshot,
  started,
  step,
} from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const chain = [step('a'), step('b', { after: ['a'] })];

describe('Kubernetes Events', () => {
  it('report the start', () => {
    expect(decided(snapshot(flow(chain))).events).toEqual(['Started']);
  });

  it('do not report a step that succeeded', () => {
    const status = started([record('a', 'Running'), record('b', 'Waiting')]);
    expect(
      decided(snapshot(flow(chain, { status }), { jobs: [job('a', 'complete')] })).events,
    ).toEqual([]);
  });

  it('report the success of the flow', () => {
    const status = started([record('a', 'Succeed'), record('b', 'Running')]);
    expect(
      decided(snapshot(flow(chain, { status }), { jobs: [job('b', 'complete')] })).events,
    ).toEqual(['Completed']);
  });

  it('report a failed step and the failure of the flow', () => {
    const status = started([record('a', 'Running'), record('b', 'Waiting')]);
    const result = decided(snapshot(flow(chain, { status }), { jobs: [job('a', 'failed')] }));
    expect(result.events).toEqual(['StepFailed', 'Failed']);
    expect(result.decision.plan.at(-2)?.[0]).toMatchObject({
      kind: 'emitEvent',
      type: 'Warning',
      regarding: { kind: 'JobFlow', name: 'etl', namespace: 'default', uid: flowUid },
      note: 'step a: BackoffLimitExceeded: Job has reached the specified backoff limit',
      occurrence: 'a-0',
    });
  });

  it('give, for a failure, the command that runs the failed steps again', () => {
    const status = { ...started([record('a', 'Running')]), retryNonce: '1' };
    const snapshotOfFailure = snapshot(flow([step('a')], { status }), {
      jobs: [job('a', 'failed')],
    });
    const notes = decided(snapshotOfFailure)
      .decision.plan.flat()
      .flatMap((operation) => (operation.kind === 'emitEvent' ? [operation.note] : []));
    expect(notes.at(-1)).toContain(
      'kubectl -n default annotate mjf etl millrace.dev/retry=2 --overwrite',
    );
  });

  it('give that command in full, however long the words about the failure are', () => {
    const names = Array.from({ length: 9 }, (_, index) => `${'s'.repeat(52)}-${index}`);
    const long = flow(
      names.map((name) => step(name)),
      { status: started(names.map((name) => record(name, 'Running'))) },
    );
    const metadata = { ...long.metadata, namespace: 'n'.repeat(63) };
    const reason = 'MaxFailedIndexesExceeded';
    const conditions = [condition('Failed', { reason, message: 'm'.repeat(999) })];
    const jobs = names.map((name) => job(name, 'failed', { conditions }));
    const notes = decided(snapshot({ ...long, metadata }, { jobs }))
      .decision.plan.flat()
      .flatMap((operation) => (operation.kind === 'emitEvent' ? [operation.note] : []));
    expect(notes.at(-1)).toMatch(
      /…; to run again the failed .* annotate mjf etl millrace\.dev\/retry=1 --overwrite$/,
    );
  });

  it('count the steps that were started', () => {
    const both = [step('a'), step('b'), step('c', { after: ['a'] })];
    const [, events] = decided(snapshot(flow(both))).decision.plan;
    expect(events?.[0]).toMatchObject({ reason: 'Started', note: 'started 2 of 3 steps' });
  });

  it('name every step that failed', () => {
    const both = [step('a'), step('b'), step('c')];
    const status = started(both.map(({ name }) => record(name, 'Running')));
    const jobs = both.map(({ name }) => job(name, 'failed'));
    const [events] = decided(snapshot(flow(both, { status }), { jobs })).decision.plan;
    expect(events?.[0]).toMatchObject({
      note: expect.stringMatching(/^step a: .*; also b, c$/) as string,
    });
  });

  it('report no resumption while the flow stays suspended', () => {
    const spec = { suspend: true };
    const status = started([record('a', 'Running'), record('b', 'Waiting')]);
    const ours = { annotations: { [annotations.suspendedBy]: flowUid } };
    const jobs = [job('a', 'suspended', ours)];
    const suspended = decided(snapshot(flow(chain, { spec, status }), { jobs }));
    expect(suspended.events).toEqual(['Suspended']);
    const edited = flow(chain, { spec, status: suspended.status, generation: 2 });
    expect(decided(snapshot(edited, { jobs })).events).toEqual([]);
    const resumed = flow(chain, { status: suspended.status, generation: 3 });
    expect(decided(snapshot(resumed, { jobs })).events).toEqual(['Resumed']);
    const deleted = flow(chain, { spec, status: suspended.status, deletionTimestamp: at(5) });
    expect(decided(snapshot(deleted, { jobs })).events).toEqual([]);
  });

  it('report an annotation that is misspelt, once, and no later look repeats it', () => {
    const misspelt = (status = started([record('a', 'Running')])) => {
      const object = flow(chain, { status });
      const annotations = { 'millrace.dev/rety': '1', 'millrace.dev/cancel': 'true' };
      return { ...object, metadata: { ...object.metadata, annotations } };
    };
    const remark = ({ conditions = [] }: JobFlowStatus) =>
      conditions.find(({ type }) => type === 'UnknownAnnotation');
    const first = decided(snapshot(misspelt(), { jobs: [job('a', 'running')] }));
    expect(first.events).toEqual(['UnknownAnnotation']);
    expect(remark(first.status)?.message).toBe(
      'metadata.annotations[millrace.dev/cancel]: Millrace knows no such annotation; there are millrace.dev/retry ' +
        'and millrace.dev/suspend-override; metadata.annotations[millrace.dev/rety]: Millrace knows no such ' +
        'annotation; did you mean millrace.dev/retry?',
    );
    const second = decided(snapshot(misspelt(first.status), { jobs: [job('a', 'running')] }));
    expect(second.events).toEqual([]);
    const corrected = flow(chain, { status: first.status });
    const third = decided(snapshot(corrected, { jobs: [job('a', 'running')] }));
    expect(remark(third.status)?.status).toBe('False');
    expect(third.events).toEqual([]);
  });

  it('report an annotation that is misspelt also of a flow that has failed', () => {
    const status = { ...started([record('a', 'Failed')]), state: 'Failed' as const };
    const object = flow([step('a')], { status });
    const annotations = { 'millrace.dev/retri': '1' };
    const metadata = { ...object.metadata, annotations };
    expect(decided(snapshot({ ...object, metadata })).events).toEqual(['UnknownAnnotation']);
  });

  it('report a retry by hand, and none that is requested while the flow runs', () => {
    const status = started([record('a', 'Running'), record('b', 'Waiting')]);
    const underway = flow(chain, { status, retry: '1' });
    const asked = decided(snapshot(underway, { jobs: [job('a', 'running')] }), 60);
    expect(asked.writesStatus).toBe(true);
    expect(asked.events).toEqual([]);
    const jobs = [job('a', 'failed')];
    const failed = decided(snapshot(flow(chain, { status }), { jobs })).status;
    const again = flow(chain, { status: failed, retry: '1' });
    expect(decided(snapshot(again, { jobs }), 60).events).toEqual(['RetryRequested']);
  });

  it('are one for a hundred steps that fail at once', () => {
    const names = Array.from({ length: 100 }, (_, index) => `s${index}`);
    const status = started(names.map((name) => record(name, 'Running')));
    const jobs = names.map((name) => job(name, 'failed'));
    const result = decided(
      snapshot(
        flow(
          names.map((name) => step(name)),
          { status },
        ),
        { jobs },
      ),
    );
    expect(result.events).toEqual(['StepFailed', 'Failed']);
    for (const operation of result.decision.plan.at(-2) ?? []) {
      expect(operation.kind === 'emitEvent' && operation.note.length).toBeLessThan(1000);
    }
  });

  it.each([
    ['start', snapshot(flow(chain))],
    [
      'success',
      snapshot(flow(chain, { status: started([record('a', 'Succeed'), record('b', 'Running')]) }), {
        jobs: [job('b', 'complete')],
      }),
    ],
    [
      'failure',
      snapshot(flow(chain, { status: started([record('a', 'Running'), record('b', 'Waiting')]) }), {
        jobs: [job('a', 'failed')],
      }),
    ],
    ['suspension', snapshot(flow(chain, { spec: { suspend: true } }))],
  ])('keep their names when the pass is decided again later: %s', (_, seen) => {
    const emittedNow = (secondsLater: number) =>
      decided(seen, secondsLater)
        .decision.plan.flat()
        .flatMap((operation) => (operation.kind === 'emitEvent' ? [eventName(operation)] : []));
    expect(emittedNow(0).length).toBeGreaterThan(0);
    expect(emittedNow(90)).toEqual(emittedNow(0));
  });

  it('are named after the last change of their own condition', () => {
    const turned = (type: string, seconds: number) => ({
      ...({ type, status: 'False', reason: 'Restarted', message: '' } as const),
      lastTransitionTime: at(seconds),
    });
    const conditions = [turned('Accepted', 3), turned('Failed', 7)];
    const status = started([record('a', 'Running')], { conditions });
    const emittedNow = decided(
      snapshot(flow([step('a')], { status }), { jobs: [job('a', 'failed')] }),
    )
      .decision.plan.flat()
      .flatMap((operation) =>
        operation.kind === 'emitEvent' ? [[operation.reason, operation.occurrence]] : [],
      );
    expect(emittedNow).toContainEqual(['Failed', at(7)]);
  });

  it('of a deadline are named after the last change of the failure, so that each run has its own', () => {
    const failed = {
      ...({ type: 'Failed', status: 'False', reason: 'Restarted', message: '' } as const),
      lastTransitionTime: at(7),
    };
    const spec = { activeDeadlineSeconds: 60 };
    const status = started([record('a', 'Running')], { conditions: [failed] });
    const emittedNow = decided(
      snapshot(flow([step('a')], { spec, status }), { jobs: [job('a', 'running')] }),
      90,
    )
      .decision.plan.flat()
      .flatMap((operation) =>
        operation.kind === 'emitEvent' ? [[operation.reason, operation.occurrence]] : [],
      );
    expect(emittedNow).toContainEqual(['FlowDeadlineExceeded', `${at(7)}-unknown`]);
  });

  it('of a step have another name for each attempt', () => {
    const retried = [step('a', { retryPolicy: { limit: 9, backoffSeconds: 0 } })];
    const emittedNow = [0, 1, 2].flatMap((attempt) => {
      const status = started([record('a', 'Running', { attempt })]);
      const jobs = [job('a', 'failed', { attempt })];
      return decided(snapshot(flow(retried, { status }), { jobs }), 5)
        .decision.plan.flat()
        .flatMap((operation) => (operation.kind === 'emitEvent' ? [eventName(operation)] : []));
    });
    expect(new Set(emittedNow).size).toBe(3);
  });

  it('come right before the status and only with one', () => {
    const status = started([record('a', 'Running'), record('b', 'Waiting')]);
    const result = decided(snapshot(flow(chain, { status }), { jobs: [job('a', 'failed')] }));
    expect(result.decision.plan.map((stage) => stage[0]?.kind)).toEqual([
      'emitEvent',
      'patchStatus',
    ]);
    const again = decided(
      snapshot(flow(chain, { status: result.status }), { jobs: [job('a', 'failed')] }),
    );
    expect(again.events).toEqual([]);
  });
});

describe('reasons', () => {
  it('leave out the steps that have no news', () => {
    const three = [step('a'), step('b', { after: ['a'] }), step('c')];
    const status = started([
      record('a', 'Running'),
      record('b', 'Waiting', { reason: 'DependenciesPending' }),
      record('c', 'Running'),
    ]);
    const jobs = [job('a', 'complete'), job('c', 'running')];
    const { reasons } = decided(snapshot(flow(three, { status }), { jobs })).decision;
    expect(reasons.map(({ fields }) => fields?.['step'])).toEqual([undefined, 'a', 'b']);
  });

  it('say of each step with news what it waits for, as data', () => {
    const { reasons } = decided(snapshot(flow(chain))).decision;
    expect(reasons).toContainEqual({
      code: 'DependenciesPending',
      message: 'step b: waiting for a',
      fields: { step: 'b', state: 'Waiting', attempt: 0 },
    });
  });
});
