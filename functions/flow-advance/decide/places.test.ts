import { describe, expect, it } from 'vitest';
import { wholeListSteps } from '#shared/api/step-records.ts';
import { resources } from '#shared/domain/resources.ts';
import { takesForAbsent } from '../takes-for-absent.ts';
import { at, flow, job, record, snapshot, started, step, t0 } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';
import { withRejections, type FlowSnapshot } from '../snapshot.ts';

const steps = [step('a'), step('b'), step('c'), step('d', { after: ['a'] })];
const spec = { parallelism: 2 };
const place = 'waiting for a place: at most 2 steps run at once (spec.parallelism)';
const running = started([
  record('a', 'Running'),
  record('b', 'Running'),
  record('c', 'Waiting', { reason: 'ParallelismReached', message: place }),
  record('d', 'Waiting', { reason: 'DependenciesPending', message: 'waiting for a' }),
]);
const look = (fields: Partial<FlowSnapshot>, status = running, more = {}) =>
  snapshot(flow(steps, { status, spec: { ...spec, ...more } }), fields);

describe('parallelism of a flow (rule 24)', () => {
  it('starts as many steps as may run at once, in the order of the spec, and says what the others wait for', () => {
    const first = decided(snapshot(flow(steps, { spec })));
    expect(first.creates).toEqual(['etl-a', 'etl-b']);
    expect(first.step('c')).toEqual({
      name: 'c',
      state: 'Waiting',
      reason: 'ParallelismReached',
      message: place,
    });
    expect(first.step('d').reason).toBe('DependenciesPending');
    expect(first.status).toMatchObject({
      state: 'Running',
      reason: 'ParallelismReached',
      message: 'steps that could start wait for a place: as many run as spec.parallelism allows',
    });
  });

  it('gives the place of a step that has ended to the next one in the order of the spec', () => {
    const jobs = [job('a', 'complete'), job('b', 'running')];
    const result = decided(look({ jobs }));
    expect(result.creates).toEqual(['etl-c']);
    expect(result.step('d')).toMatchObject({ state: 'Waiting', reason: 'ParallelismReached' });
  });

  it('says so no more when nothing waits for a place', () => {
    const jobs = [job('a', 'complete'), job('b', 'complete')];
    const result = decided(look({ jobs }));
    expect(result.creates).toEqual(['etl-c', 'etl-d']);
    expect([result.status.reason, result.status.message]).toEqual([undefined, undefined]);
  });

  it.each<[string, Partial<FlowSnapshot>]>([
    [
      'a Job that is being deleted',
      { jobs: [job('a', 'running', { deletionTimestamp: at(5) }), job('b', 'running')] },
    ],
    [
      'a Job whose Pods terminate after its success',
      { jobs: [job('a', 'criteriaMet'), job('b', 'running')] },
    ],
    ['a suspended Job', { jobs: [job('a', 'suspended'), job('b', 'pending')] }],
    ['a Job that is on record and not in sight', { jobs: [job('b', 'running')] }],
    [
      'an unfinished Job of an earlier attempt',
      {
        jobs: [
          job('a', 'complete'),
          job('b', 'running'),
          job('d', 'running', { name: 'etl-d-r7' }),
        ],
      },
    ],
  ])('counts %s', (_, fields) => {
    expect(decided(look(fields)).creates).toEqual([]);
  });

  it('counts no Job that has failed, and none between two attempts', () => {
    const flaky = [step('a', { retryPolicy: { limit: 1, backoffSeconds: 60 } }), ...steps.slice(1)];
    const jobs = [job('a', 'failed'), job('b', 'running')];
    const result = decided(snapshot(flow(flaky, { status: running, spec }), { jobs }), 10);
    expect(result.step('a').reason).toBe('RetryBackoff');
    expect(result.creates).toEqual(['etl-c']);
  });

  it('makes a retry that is due wait for a place, with its attempt', () => {
    const flaky = [step('a', { retryPolicy: { limit: 1 } }), ...steps.slice(1)];
    const status = started([
      record('a', 'Waiting', { attempt: 1, reason: 'RetryBackoff', nextRetryTime: at(20) }),
      record('b', 'Running'),
      record('c', 'Running'),
      record('d', 'Waiting'),
    ]);
    const jobs = [job('a', 'failed'), job('b', 'running'), job('c', 'running')];
    const result = decided(snapshot(flow(flaky, { status, spec }), { jobs }), 30);
    expect(result.creates).toEqual([]);
    expect(result.step('a')).toMatchObject({ attempt: 1, reason: 'ParallelismReached' });
    expect(result.decision.requeueAtMs).toBeUndefined();
  });

  it('may be raised, lowered and taken away while the flow runs', () => {
    const jobs = [job('a', 'running'), job('b', 'running')];
    expect(decided(look({ jobs }, running, { parallelism: 3 })).creates).toEqual(['etl-c']);
    const lowered = decided(look({ jobs }, running, { parallelism: 1 }));
    expect([lowered.creates, lowered.deletes, lowered.patches]).toEqual([[], [], []]);
    const open = flow(steps, { status: running });
    expect(decided(snapshot(open, { jobs })).creates).toEqual(['etl-c']);
  });

  it('writes no status for the sake of a step that waits for a place where it waited for another step', () => {
    const jobs = [job('a', 'complete'), job('b', 'running'), job('c', 'running')];
    const status = {
      ...running,
      lastUpdateTime: at(0),
      observedGeneration: 1,
      jobStatusList: [
        record('a', 'Succeed', { completionTime: at(9) }),
        record('b', 'Running', { jobUID: jobs[1]!.uid, startTime: at(1) }),
        record('c', 'Running', { jobUID: jobs[2]!.uid, startTime: at(1) }),
        record('d', 'Waiting', { reason: 'DependenciesPending', message: 'waiting for a' }),
      ],
      progress: '1/4',
      running: 2,
      failed: 0,
      suspended: 0,
      total: 4,
      state: 'Running' as const,
    };
    const settled = decided(look({ jobs, noticesRemovals: true }, status)).status;
    const again = decided(
      look({ jobs, noticesRemovals: true }, { ...settled, jobStatusList: status.jobStatusList }),
      20,
    );
    expect(again.writesStatus).toBe(false);
  });
});

describe('a limited flow of which something is refused', () => {
  const conflict = (name: string) => ({ name, code: 'NameConflict' as const, message: 'taken' });
  const one = { spec: { parallelism: 1 } };
  const pair = [step('a'), step('b')];

  it('gives the place to a step that was not refused', () => {
    const blocked = started([
      record('a', 'Blocked', { reason: 'NameConflict' }),
      record('b', 'Waiting'),
    ]);
    const result = decided(snapshot(flow(pair, { status: blocked, ...one })), 20);
    expect(result.creates).toEqual(['etl-b']);
    expect(result.step('a')).toMatchObject({ state: 'Blocked', reason: 'NameConflict' });
  });

  it('lets refused steps ask in turn, one for each place, and not at once after a refusal', () => {
    const blocked = started([
      record('a', 'Blocked', { reason: 'NameConflict' }),
      record('b', 'Blocked', { reason: 'NameConflict' }),
    ]);
    const each = snapshot(flow(pair, { status: blocked, ...one }));
    const asked = [20, 30].map((seconds) => decided(each, seconds).creates);
    expect(asked.flat().toSorted()).toEqual(['etl-a', 'etl-b']);
    const [name = ''] = asked[0] ?? [];
    const refused = decided(withRejections(each, [conflict(name)]), 20);
    expect(refused.creates).toEqual([]);
    expect(refused.decision.requeueAtMs).toBe(t0 + 30_000);
  });

  it('decides again at once when a refused step kept the place from another one', () => {
    const each = withRejections(snapshot(flow(pair, one)), [conflict('etl-a')]);
    const refused = decided(each);
    expect(refused.step('a')).toMatchObject({ state: 'Blocked', reason: 'NameConflict' });
    expect(refused.decision.requeueAtMs).toBe(t0);
  });
});

describe('a limited flow of many steps', () => {
  const many = Array.from({ length: wholeListSteps + 50 }, (_, index) => step(`s${1000 + index}`));

  it('has an entry for each running step, and positions for the steps that wait for a place', () => {
    const { status, decision } = decided(snapshot(flow(many, { spec: { parallelism: 3 } })));
    const write = decision.plan.flat().find(({ kind }) => kind === 'patchStatus');
    const stored = write?.kind === 'patchStatus' ? write.status : {};
    expect(stored['jobStatusList']).toHaveLength(3);
    expect(stored['stepStates']).toEqual({
      'Waiting/0/ParallelismReached': `3-${wholeListSteps + 49}`,
    });
    expect(status.running).toBe(3);
  });
});

describe('a create under a limit (rule 24)', () => {
  const asks = (each: FlowSnapshot) => takesForAbsent(each, decided(each).decision);

  it('counts Jobs that may not be in sight: they are asked for first', () => {
    expect(asks(snapshot(flow(steps, { spec })))).toBe(resources.Job);
  });

  it.each<[string, FlowSnapshot]>([
    ['nothing is created', look({ jobs: [job('a', 'running'), job('b', 'running')] })],
    [
      'the flow has no more steps than may run at once',
      snapshot(flow(steps, { spec: { parallelism: 4 } })),
    ],
    ['there is no limit', snapshot(flow(steps))],
  ])('asks for nothing where %s', (_, each) => {
    expect(asks(each)).toBeUndefined();
  });
});
