import { describe, expect, it } from 'vitest';
import type { FlowStep, JobFlowStatus } from '#shared/api/job-flow.ts';
import { wholeListSteps } from '#shared/api/step-records.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import type { FlowSnapshot } from './snapshot.ts';
import { takesForAbsent } from './takes-for-absent.ts';
import { flow, job, record, snapshot, started, step } from './testing/builders.ts';
import { decided } from './testing/decided.ts';

const steps = [step('a'), step('b'), step('c', { after: ['a'] })];
const running = started([record('a', 'Running'), record('b', 'Running'), record('c', 'Waiting')]);
const seen = (status: JobFlowStatus | undefined, jobs: FlowSnapshot['jobs'], flows = steps) =>
  snapshot(flow(flows, status === undefined ? {} : { status }), { jobs });

const absentIn = (each: FlowSnapshot, secondsAfterT0 = 0) =>
  takesForAbsent(each, decided(each, secondsAfterT0).decision);

describe('an end by a view that may lack a Job', () => {
  it('is asked about when the end records a step that was never started', () => {
    const each = seen(running, [job('a', 'failed'), job('b', 'complete')]);
    expect(decided(each).step('c').state).toBe('Skipped');
    expect(absentIn(each)).toBe(resources.Job);
  });

  it('is asked about when a step was recorded so before', () => {
    const before = started([record('a', 'Failed'), record('b', 'Running'), record('c', 'Skipped')]);
    expect(absentIn(seen(before, [job('b', 'complete')]))).toBe(resources.Job);
  });

  it('is asked about when no step could be started in time', () => {
    const each = snapshot(flow(steps, { spec: { startDeadlineSeconds: 5, suspend: false } }), {
      templates: {},
    });
    expect(decided(each, 6).status.reason).toBe('StartDeadlineExceeded');
    expect(absentIn(each, 6)).toBe(resources.Job);
  });

  it.each<[string, FlowSnapshot]>([
    [
      'with every step recorded',
      seen(running, [job('a', 'failed'), job('b', 'complete'), job('c', 'complete')]),
    ],
    [
      'with every step succeeded',
      seen(running, [job('a', 'complete'), job('b', 'complete'), job('c', 'complete')]),
    ],
    ['that is not reached yet', seen(running, [job('a', 'failed'), job('b', 'running')])],
    [
      'that is recorded already',
      seen(
        started([record('a', 'Failed'), record('b', 'Succeed'), record('c', 'Skipped')], {
          state: 'Failed',
          observedGeneration: 0,
        }),
        [],
      ),
    ],
  ])('is not asked about: %s', (_, each) => {
    expect(absentIn(each)).toBeUndefined();
  });
});

describe('a Job that is gone, by a view that may lack a Job of what waited for it (rule 20)', () => {
  const lost = { confirmedMissing: ['etl-a'] };
  const after = (more: readonly FlowSnapshot['jobs'][number][] = []) =>
    snapshot(flow(steps, { status: running }), { ...lost, jobs: [job('b', 'running'), ...more] });

  it('is asked about before it is reported as lost', () => {
    expect(decided(after()).step('a')).toMatchObject({ reason: 'ChildDeleted' });
    expect(absentIn(after())).toBe(resources.Job);
  });

  it('is asked about before its next attempt is recorded', () => {
    const flows = [step('a', { retryPolicy: { limit: 1 } }), ...steps.slice(1)];
    const each = snapshot(flow(flows, { status: running }), { ...lost, jobs: [] });
    expect(decided(each).step('a')).toMatchObject({ state: 'Waiting', reason: 'RetryBackoff' });
    expect(absentIn(each)).toBe(resources.Job);
  });

  it('is not asked about when what waited for it has begun', () => {
    const each = after([job('c', 'running')]);
    expect(decided(each).step('a').state).toBe('Succeed');
    expect(absentIn(each)).toBeUndefined();
  });

  it('is not asked about once it is on record', () => {
    const recorded = started([
      record('a', 'Failed', { reason: 'ChildDeleted' }),
      record('b', 'Running'),
      record('c', 'Waiting'),
    ]);
    expect(absentIn(seen(recorded, [job('b', 'running')]))).toBeUndefined();
  });
});

describe('a queued flow that has stopped, by a view that may lack a Job that would run without quota', () => {
  const stopped = (metadata: Partial<ObjectMeta>, status: JobFlowStatus = waiting) => {
    const each = flow(steps, { spec: { suspend: true }, status });
    return snapshot({ ...each, metadata: { ...each.metadata, generation: 2, ...metadata } });
  };
  const waiting = started([record('a', 'Waiting'), record('b', 'Waiting'), record('c', 'Waiting')]);
  const inQueue = { labels: { [queueLabel]: 'team' } };

  it('is asked about before its status says so', () => {
    expect(absentIn(stopped(inQueue))).toBe(resources.Job);
  });

  it('is asked about when it has left its queue with an admission that it gave up', () => {
    const gaveUp = { annotations: { [annotations.givenUp]: '{}' } };
    expect(absentIn(stopped(gaveUp))).toBe(resources.Job);
  });

  it('is not asked about once its status says so', () => {
    const each = stopped(inQueue);
    expect(absentIn(stopped(inQueue, decided(each).status))).toBeUndefined();
  });

  it.each<[string, Partial<ObjectMeta>]>([
    ['a flow without a queue', {}],
    ['a flow that waits since its creation', { ...inQueue, generation: 1 }],
  ])('is not asked about: %s', (_, metadata) => {
    expect(absentIn(stopped(metadata))).toBeUndefined();
  });
});

describe('the end of a flow whose status has steps by their positions', () => {
  const last = 'last';
  const many: readonly FlowStep[] = [
    step('a'),
    ...Array.from({ length: wholeListSteps }, (_, index) => step(`s${index}`, { after: ['a'] })),
    step(last),
  ];
  const skipped = many.slice(1, -1).map(({ name }) => name);

  it('is asked about when they are skipped with it', () => {
    const records = [record('a', 'Running'), ...skipped.map((name) => record(name, 'Waiting'))];
    const status = started([...records, record(last, 'Succeed')]);
    expect(absentIn(seen(status, [job('a', 'failed')], [...many]))).toBe(resources.Job);
  });

  it('is asked about when they were skipped before', () => {
    const records = [record('a', 'Failed'), ...skipped.map((name) => record(name, 'Skipped'))];
    const status = started([...records, record(last, 'Running')]);
    expect(absentIn(seen(status, [job(last, 'complete')], [...many]))).toBe(resources.Job);
  });
});
