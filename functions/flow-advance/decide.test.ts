import { describe, expect, it } from 'vitest';
import type { JobFlowStatus } from '#shared/api/job-flow.ts';
import {
  at,
  flow,
  flowUid,
  job,
  record,
  snapshot,
  started,
  step,
  t0,
  template,
} from './testing/builders.ts';
import { type Decided, decided } from './testing/decided.ts';

/** The seed's jobflow-example. */
const seed = [
  step('job1', { after: [] }),
  step('job2', { after: ['job1'] }),
  step('job3', { after: ['job1', 'job2'] }),
  step('job4'),
  step('job5', { after: ['job4', 'job2'] }),
];

it('leaves a flow to the controller that spec.managedBy names', () => {
  const elsewhere = flow(seed);
  const spec = { ...elsewhere.spec, managedBy: 'kueue.x-k8s.io/multikueue' } as const;
  const { decision } = decided(snapshot({ ...elsewhere, spec }));
  expect(decision.plan).toEqual([]);
  expect(decision.reasons[0]?.code).toBe('ManagedByOther');
});

describe('order of the steps', () => {
  it('starts what depends on nothing, all at once, and nothing else', () => {
    const result = decided(snapshot(flow(seed)));
    expect(result.creates).toEqual(['etl-job1', 'etl-job4']);
    expect(result.decision.plan[0]).toHaveLength(2);
    expect(result.status.state).toBe('Running');
    expect(result.status.startTime).toBe(at(0));
    expect(result.status.progress).toBe('0/5');
  });

  it('starts a thousand steps in one decision, and the next thousand at once', () => {
    const steps = Array.from({ length: 2_500 }, (_, index) => step(`s${index}`));
    const started = [0, 1_000, 2_000].map((count) => {
      const jobs = steps.slice(0, count).map(({ name }) => job(name, 'pending'));
      const { creates, decision } = decided(snapshot(flow(steps), { jobs }));
      return { first: creates[0], count: creates.length, again: decision.requeueAtMs === t0 };
    });
    expect(started).toEqual([
      { first: 'etl-s0', count: 1_000, again: true },
      { first: 'etl-s1000', count: 1_000, again: true },
      { first: 'etl-s2000', count: 500, again: false },
    ]);
  });

  it('starts fewer steps in one decision where each Job gets much from its flow', () => {
    const env = Array.from({ length: 500 }, (_, index) => ({ name: `V${index}`, value: 'x' }));
    const wide = flow(Array.from({ length: 400 }, (_, index) => step(`s${index}`)));
    const spec = { ...wide.spec, globalParams: { env } };
    const { creates, decision } = decided(snapshot({ ...wide, spec }));
    // 500 variables without values, 18 kB, weigh as much as seven plain Jobs.
    expect(creates).toHaveLength(139);
    expect(decision.requeueAtMs).toBe(t0);
  });

  it('starts three steps in one decision where each has a template of a megabyte', () => {
    const args = ['x'.repeat(1_048_576)];
    const containers = [{ name: 'main', image: 'busybox', args }];
    const large = template('large', { template: { spec: { containers } } });
    const steps = Array.from({ length: 9 }, (_, index) =>
      step(`s${index}`, { jobTemplateRef: 'large' }),
    );
    const { creates, decision } = decided(snapshot(flow(steps), { templates: { large } }));
    expect(creates).toHaveLength(3);
    expect(decision.requeueAtMs).toBe(t0);
  });

  it('starts a step when all its dependencies are complete, each step on its own', () => {
    const status = started([
      record('job1', 'Succeed'),
      record('job2', 'Running'),
      record('job3', 'Waiting'),
      record('job4', 'Succeed'),
      record('job5', 'Waiting'),
    ]);
    const jobs = [job('job1', 'complete'), job('job2', 'complete'), job('job4', 'complete')];
    expect(decided(snapshot(flow(seed, { status }), { jobs })).creates).toEqual([
      'etl-job3',
      'etl-job5',
    ]);
  });

  it('does not start a step while one of its dependencies runs, and says for which it waits', () => {
    const status = started([
      record('job1', 'Succeed'),
      record('job2', 'Running'),
      record('job3', 'Waiting'),
      record('job4', 'Running'),
      record('job5', 'Waiting'),
    ]);
    const jobs = [job('job2', 'running'), job('job4', 'complete')];
    const result = decided(snapshot(flow(seed, { status }), { jobs }));
    expect(result.creates).toEqual([]);
    expect(result.step('job5')).toMatchObject({
      state: 'Waiting',
      reason: 'DependenciesPending',
      message: 'waiting for job2',
    });
  });

  it('records a started step with its Job and attempt in the same plan, after create and Event', () => {
    const result = decided(snapshot(flow([step('a')])));
    expect(result.decision.plan.map((stage) => stage.map(({ kind }) => kind))).toEqual([
      ['create'],
      ['emitEvent'],
      ['patchStatus'],
    ]);
    expect(result.step('a')).toEqual({
      name: 'a',
      jobName: 'etl-a',
      state: 'Pending',
      attempt: 0,
    });
  });

  it('keeps the status in spec order, whatever the order of the Jobs (volcano#2851)', () => {
    const jobs = seed.map(({ name }) => job(name, 'running')).reverse();
    const result = decided(snapshot(flow(seed, { status: started([]) }), { jobs }));
    expect(result.status.jobStatusList?.map(({ name }) => name)).toEqual(
      seed.map(({ name }) => name),
    );
  });

  it('waits for Complete while pods of a successful Job terminate (rule 11)', () => {
    const steps = [step('a'), step('b', { after: ['a'] })];
    const status = started([record('a', 'Running'), record('b', 'Waiting')]);
    const jobs = [job('a', 'criteriaMet')];
    expect(decided(snapshot(flow(steps, { status }), { jobs })).creates).toEqual([]);
  });

  it('starts on SuccessCriteriaMet where the step asks for it (rule 11)', () => {
    const steps = [step('a'), step('b', { after: ['a'], startOn: 'SuccessCriteriaMet' })];
    const status = started([record('a', 'Running'), record('b', 'Waiting')]);
    const jobs = [job('a', 'criteriaMet')];
    const result = decided(snapshot(flow(steps, { status }), { jobs }));
    expect(result.creates).toEqual(['etl-b']);
    expect(result.step('a').state).toBe('Running');
    const early = snapshot(flow(steps, { status }), { jobs: [job('a', 'running')] });
    expect(decided(early).creates).toEqual([]);
  });
});

describe('the status is the record of truth (rules 10 and 21)', () => {
  it('never runs a recorded step again because its Job is gone', () => {
    const steps = [step('a'), step('b', { after: ['a'] })];
    const status = started([record('a', 'Succeed'), record('b', 'Running')]);
    const result = decided(snapshot(flow(steps, { status }), { jobs: [job('b', 'running')] }), 1);
    expect(result.creates).toEqual([]);
    expect(result.step('a').state).toBe('Succeed');
  });

  it('recognises a Job that a crashed pass had created, and creates no second one', () => {
    const jobs = [job('a', 'running')];
    const result = decided(snapshot(flow([step('a')]), { jobs }));
    expect(result.creates).toEqual([]);
    expect(result.step('a')).toMatchObject({ state: 'Running', jobUID: 'uid-of-etl-a' });
    expect(result.status.startTime).toBe(at(0));
  });

  it('started no later than its first Job, also where its creator could not record it', () => {
    const jobs = [job('a', 'running')];
    expect(decided(snapshot(flow([step('a')]), { jobs }), 7).status.startTime).toBe(at(0));
    const several = [job('b', 'pending', { creationTimestamp: at(4) }), ...jobs];
    const both = flow([step('a'), step('b')]);
    expect(decided(snapshot(both, { jobs: several }), 7).status.startTime).toBe(at(0));
    const status = started([record('a', 'Pending')], { startTime: at(5) });
    const adopted = decided(snapshot(flow([step('a')], { status }), { jobs }), 7);
    expect(adopted.status.startTime).toBe(at(0));
  });

  it('does not correct the start by less than the precision of times in Kubernetes', () => {
    const status = started([record('a', 'Pending')], { startTime: at(1) });
    const jobs = [job('a', 'pending')];
    const result = decided(snapshot(flow([step('a')], { status }), { jobs }), 2);
    expect(result.status.startTime).toBe(at(1));
  });

  it('takes in a Job that is complete in its first observed event', () => {
    const steps = [step('a'), step('b', { after: ['a'] })];
    const status = started([record('a', 'Pending'), record('b', 'Waiting')]);
    const result = decided(snapshot(flow(steps, { status }), { jobs: [job('a', 'complete')] }));
    expect(result.step('a')).toMatchObject({ state: 'Succeed', completionTime: at(9) });
    expect(result.creates).toEqual(['etl-b']);
  });

  it('ends in Succeed when every step has, at the time of the last one', () => {
    const status = started([
      record('a', 'Succeed', { completionTime: at(20) }),
      record('b', 'Running'),
    ]);
    const jobs = [job('b', 'complete')];
    const result = decided(snapshot(flow([step('a'), step('b')], { status }), { jobs }), 30);
    expect(result.status).toMatchObject({
      state: 'Succeed',
      progress: '2/2',
      completionTime: at(20),
    });
    expect(result.condition('Complete')).toBe('True/AllStepsSucceeded');
    expect(result.condition('Progressing')).toBe('False/Succeed');
    expect(result.condition('Failed')).toBeUndefined();
  });

  it('derives its counters from the steps', () => {
    const steps = ['a', 'b', 'c', 'd'].map((name) => step(name));
    const jobs = [
      job('a', 'complete'),
      job('b', 'failed'),
      job('c', 'running'),
      job('d', 'suspended'),
    ];
    const { status } = decided(snapshot(flow(steps, { status: started([]) }), { jobs }));
    expect(status).toMatchObject({
      progress: '1/4',
      running: 1,
      failed: 1,
      suspended: 1,
      total: 4,
    });
  });

  it('does nothing when nothing has changed', () => {
    const first = decided(snapshot(flow(seed)));
    const jobs = [job('job1', 'pending'), job('job4', 'pending')];
    const second = decided(snapshot(flow(seed, { status: first.status }), { jobs }));
    expect(second.decision.plan).toEqual([]);
    // In case the Job controller does not start the Jobs.
    expect(second.decision.requeueAtMs).toBe(Date.parse(jobs[0]!.creationTimestamp!) + 60_000);
  });

  it('does nothing to a flow that is over, whatever its Jobs are now', () => {
    const steps = [step('a'), step('b', { after: ['a'] })];
    const over = started([record('a', 'Succeed'), record('b', 'Succeed')], { state: 'Succeed' });
    for (const jobs of [[], [job('a', 'failed'), job('b', 'running')]]) {
      expect(decided(snapshot(flow(steps, { status: over }), { jobs })).decision.plan).toEqual([]);
    }
  });

  it('notes a new generation of a flow that is over', () => {
    const status = started([record('a', 'Succeed')], { state: 'Succeed' });
    const result = decided(snapshot(flow([step('a')], { status, generation: 2 })));
    expect(result.status.observedGeneration).toBe(2);
    expect(result.status.state).toBe('Succeed');
  });

  it.each([
    ['goes on', 'running'],
    ['ends', 'complete'],
  ] as const)(
    'judges every condition of a new generation, which kubectl wait asks for: it %s',
    (_, state) => {
      const jobs = [job('a', state)];
      const generations = (seen: Decided) =>
        seen.status.conditions?.map((condition) => condition.observedGeneration);
      const first = decided(snapshot(flow([step('a')])));
      const second = decided(snapshot(flow([step('a')], { status: first.status }), { jobs }), 9);
      expect(new Set(generations(second))).toEqual(new Set([1]));
      const edited = flow([step('a')], { status: second.status, generation: 2 });
      const third = decided(snapshot(edited, { jobs }), 9);
      expect(new Set(generations(third))).toEqual(new Set([2]));
      const since = ({ status }: Decided) =>
        status.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]);
      expect(since(third)).toEqual(since(second));
      const again = flow([step('a')], { status: third.status, generation: 2 });
      expect(decided(snapshot(again, { jobs }), 9).decision.plan).toEqual([]);
    },
  );

  it('patches the status under the version it was read at', () => {
    const { decision } = decided(snapshot(flow([step('a')])));
    expect(decision.plan.at(-1)).toMatchObject([
      { kind: 'patchStatus', uid: flowUid, resourceVersion: '100', target: { name: 'etl' } },
    ]);
  });
});

describe('edits after the start (rule 16)', () => {
  const steps = [step('a'), step('b', { after: ['a'] })];
  const status = started([record('a', 'Running'), record('b', 'Waiting')], { flowsHash: 'old' });

  it('starts nothing and concludes nothing while the steps differ from those that were started', () => {
    const jobs = [job('a', 'complete')];
    const changed = flow(steps, { status, generation: 2 });
    const result = decided(snapshot(changed, { jobs, flowsHash: 'new' }));
    expect(result.creates).toEqual([]);
    expect(result.condition('Accepted')).toBe('False/SpecChanged');
    expect(result.status.observedGeneration).toBe(2);
    expect(result.step('a').state).toBe('Running');
    expect(result.status.state).toBe('Running');
  });

  it('are reported also when the status has lost its state', () => {
    const { jobStatusList, startTime, flowsHash } = status;
    const stateless = { jobStatusList, startTime, flowsHash } as JobFlowStatus;
    const changed = flow(steps, { status: stateless, generation: 2 });
    const [reason] = decided(snapshot(changed, { flowsHash: 'new' })).decision.reasons;
    expect(reason).toMatchObject({ code: 'SpecChanged', fields: { state: 'Unknown' } });
  });

  it('goes on when they are restored', () => {
    const jobs = [job('a', 'complete')];
    const changed = decided(
      snapshot(flow(steps, { status, generation: 2 }), { jobs, flowsHash: 'new' }),
    );
    const restored = flow(steps, { status: changed.status, generation: 3 });
    const result = decided(snapshot(restored, { jobs, flowsHash: 'old' }));
    expect(result.creates).toEqual(['etl-b']);
    expect(result.condition('Accepted')).toBe('True/Valid');
    expect(result.status.reason).toBeUndefined();
  });

  it('records the hash of the steps with the start', () => {
    expect(decided(snapshot(flow(steps))).status.flowsHash).toBe('hash-of-flows');
  });
});

describe('deletion (rule 6)', () => {
  it('creates nothing for a flow that is being deleted, and says that it is', () => {
    const steps = [step('a'), step('b', { after: ['a'] })];
    const status = started([record('a', 'Running'), record('b', 'Waiting')]);
    const deleted = flow(steps, { status, deletionTimestamp: at(5) });
    const result = decided(snapshot(deleted, { jobs: [job('a', 'complete')] }));
    expect(result.creates).toEqual([]);
    expect(result.deletes).toEqual([]);
    expect(result.status.state).toBe('Terminating');
  });
});
