import { describe, expect, it } from 'vitest';
import { ControllerWorld, job } from '../testing/controller-world.ts';

function started(options: Parameters<typeof job>[0], nodes = 1): ControllerWorld {
  const world = new ControllerWorld({ nodes });
  world.create('jobs', job(options));
  return world;
}

const phases = (world: ControllerWorld) => world.pods.map(({ status }) => status?.phase);

describe('a Job whose Pods succeed', () => {
  it('creates a tracked Pod that it controls and names after itself', () => {
    const world = started({});
    const [pod] = world.pods;
    const { uid } = world.job().metadata;
    expect(pod?.metadata.name).toMatch(/^work-[a-z0-9]{5}$/);
    expect(pod?.metadata).toMatchObject({
      finalizers: ['batch.kubernetes.io/job-tracking'],
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name: 'work', uid, controller: true },
      ],
      labels: { 'batch.kubernetes.io/job-name': 'work', 'batch.kubernetes.io/controller-uid': uid },
    });
    expect(world.job().status).toMatchObject({
      active: 1,
      ready: 1,
      terminating: 0,
      startTime: '2026-01-01T00:00:00Z',
    });
  });

  it('completes in the real order, with the counts and times of the real one', () => {
    const world = started({});
    world.pass(5);
    expect(world.conditions()).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(world.job().status).toEqual({
      conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({
        type,
        status: 'True',
        reason: 'CompletionsReached',
        message: 'Reached expected number of succeeded pods',
        lastProbeTime: '2026-01-01T00:00:01Z',
        lastTransitionTime: '2026-01-01T00:00:01Z',
      })),
      startTime: '2026-01-01T00:00:00Z',
      completionTime: '2026-01-01T00:00:01Z',
      succeeded: 1,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
    });
    expect(world.pods[0]?.metadata.finalizers ?? []).toEqual([]);
  });

  it('announces success before the Pods lose their finalizer, and completes after that', () => {
    const world = started({});
    const seen: string[] = [];
    world.sandbox.store.onChange(({ object }) => {
      const conditions =
        (object.status as { conditions?: { type: string }[] } | undefined)?.conditions ?? [];
      if (object.kind === 'Job') seen.push(`Job ${conditions.map(({ type }) => type).join('+')}`);
      if (object.kind === 'Pod') seen.push(`Pod ${object.metadata.finalizers?.length ?? 0}`);
    });
    world.pass(5);
    expect(seen).toEqual([
      'Pod 1',
      'Job SuccessCriteriaMet',
      'Pod 0',
      'Job SuccessCriteriaMet+Complete',
    ]);
  });

  it('reports by Events what it did', () => {
    const world = started({});
    world.pass(5);
    const [pod] = world.pods;
    expect(world.eventTexts('Job')).toEqual([
      `SuccessfulCreate: Created pod: ${pod?.metadata.name ?? ''}`,
      'Completed: Job completed',
    ]);
  });

  it('never runs more Pods at once than its parallelism', () => {
    const world = started({ spec: { completions: 5, parallelism: 2 } });
    const running: number[] = [];
    for (let second = 0; second < 8; second += 1) {
      running.push(phases(world).filter((phase) => phase === 'Running').length);
      world.pass(1);
    }
    expect(running).toEqual([2, 2, 1, 0, 0, 0, 0, 0]);
    expect(world.job().status).toMatchObject({ succeeded: 5 });
  });

  it('of a work queue completes when one has succeeded and no other runs', () => {
    const annotations = { 'sandbox.millrace.dev/run-seconds': '3' };
    const world = started({ annotations, spec: { parallelism: 3 } });
    world.pass(1);
    expect(phases(world)).toEqual(['Running', 'Running', 'Running']);
    world.pass(4);
    expect(world.job().status).toMatchObject({ succeeded: 3 });
    expect(world.conditions()).toEqual(['SuccessCriteriaMet', 'Complete']);
  });

  it('gives up surplus Pods when its parallelism shrinks, without counting them', () => {
    const world = started({ run: 'sleep 60', spec: { completions: 4, parallelism: 4 } });
    world.patch('jobs', 'work', { spec: { parallelism: 1 } });
    expect(phases(world)).toEqual(['Running']);
    world.pass(300);
    expect(world.job().status).toMatchObject({ succeeded: 4 });
    expect(world.job().status?.failed).toBeUndefined();
  });
});

describe('a Job whose Pods fail', () => {
  it('fails after its last try, announced first and reported by an Event', () => {
    const world = started({ run: 'exit 1', spec: { backoffLimit: 0 } });
    world.pass(5);
    expect(world.conditions()).toEqual(['FailureTarget', 'Failed']);
    expect(world.job().status).toMatchObject({ failed: 1, ready: 0, terminating: 0 });
    expect(world.job().status?.completionTime).toBeUndefined();
    expect(world.eventTexts('Job').at(-1)).toBe(
      'BackoffLimitExceeded: Job has reached the specified backoff limit',
    );
  });

  it('waits 10 s, 20 s, 40 s before it tries again', () => {
    const world = started({ run: 'exit 1', spec: { backoffLimit: 3 } });
    const created: number[] = [0];
    world.sandbox.store.onChange(({ type, object }) => {
      if (type === 'ADDED' && object.kind === 'Pod') created.push(world.seconds);
    });
    world.pass(200);
    expect(created).toEqual([0, 10, 30, 70]);
    expect(world.job().status).toMatchObject({ failed: 4 });
    expect(world.conditions()).toEqual(['FailureTarget', 'Failed']);
  });

  it('counts a deleted Pod as failed and replaces it at once when it had none before', () => {
    const world = started({ run: 'sleep 60' });
    const [first] = world.pods;
    world.delete('pods', first?.metadata.name ?? '');
    world.pass(11);
    expect(world.job().status).toMatchObject({ failed: 1, active: 1 });
  });

  it('stops its other Pods, counts them as failed and fails when they are gone', () => {
    const annotations = { 'sandbox.millrace.dev/stop-seconds': '5' };
    const world = started({
      annotations,
      run: 'sleep 60',
      spec: { completions: 3, parallelism: 3, backoffLimit: 0 },
    });
    world.delete('pods', world.pods[0]?.metadata.name ?? '');
    world.pass(1);
    expect(world.conditions()).toEqual(['FailureTarget']);
    expect(world.job().status).toMatchObject({ terminating: 3, failed: 3 });
    world.pass(10);
    expect(world.conditions()).toEqual(['FailureTarget', 'Failed']);
    expect(world.job().status).toMatchObject({ terminating: 0, failed: 3 });
  });

  it('fails at its deadline', () => {
    const world = started({ run: 'sleep 60', spec: { activeDeadlineSeconds: 7 } });
    world.pass(6.9);
    expect(world.conditions()).toEqual([]);
    world.pass(1);
    expect(world.conditions()).toEqual(['FailureTarget', 'Failed']);
    expect(world.job().status?.conditions?.[1]).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    });
    expect(world.pods).toEqual([]);
  });

  it('counts restarts inside its Pods with restartPolicy OnFailure', () => {
    const podSpec = { restartPolicy: 'OnFailure' };
    const world = started({ run: 'exit 1', spec: { backoffLimit: 2 }, podSpec });
    world.pass(60);
    expect(world.conditions()).toEqual(['FailureTarget', 'Failed']);
    expect(world.eventTexts('Job').at(-1)).toContain('BackoffLimitExceeded');
  });
});

describe('podFailurePolicy', () => {
  const policy = (...rules: readonly object[]) => ({ podFailurePolicy: { rules } });
  const onCodes = (action: string, ...values: readonly number[]) => ({
    action,
    onExitCodes: { operator: 'In', values },
  });
  const onDisruption = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] };

  it('fails the Job at once for an exit code that says so', () => {
    const world = started({ run: 'exit 42', spec: policy(onCodes('FailJob', 42)) });
    world.pass(5);
    expect(world.conditions()).toEqual(['FailureTarget', 'Failed']);
    const [pod] = world.pods;
    expect(world.job().status?.conditions?.[1]).toMatchObject({
      reason: 'PodFailurePolicy',
      message: `Container main for pod default/${pod?.metadata.name ?? ''} failed with exit code 42 matching FailJob rule at index 0`,
    });
  });

  it('does not count what is ignored', () => {
    const world = started({
      run: 'exit 3',
      spec: { backoffLimit: 0, ...policy(onCodes('Ignore', 3)) },
    });
    world.pass(60);
    expect(world.conditions()).toEqual([]);
    expect(world.job().status?.failed).toBeUndefined();
    expect(world.pods.length).toBeGreaterThan(2);
  });

  it('counts what no rule matches', () => {
    const world = started({
      run: 'exit 3',
      spec: { backoffLimit: 0, ...policy(onCodes('Ignore', 4), onCodes('Count', 3)) },
    });
    world.pass(5);
    expect(world.conditions()).toEqual(['FailureTarget', 'Failed']);
  });

  it('replaces a disrupted Pod that it ignores only after its end', () => {
    const annotations = { 'sandbox.millrace.dev/stop-seconds': '5' };
    const spec = { backoffLimit: 0, ...policy(onDisruption) };
    const world = started({ annotations, run: 'sleep 60', spec }, 2);
    const [pod] = world.pods;
    const taints = [{ key: 'broken', effect: 'NoExecute' }];
    world.patch('nodes', pod?.spec.nodeName ?? '', { spec: { taints } });
    expect(world.pods).toHaveLength(1);
    expect(world.job().status).toMatchObject({ terminating: 1 });
    world.pass(30);
    expect(world.pods).toHaveLength(1);
    expect(world.pods[0]?.metadata.uid).not.toBe(pod?.metadata.uid);
    expect(world.job().status?.failed).toBeUndefined();
  });
});

describe('an Indexed Job', () => {
  const indexed = { completionMode: 'Indexed', completions: 3, parallelism: 3 };

  it('gives every Pod its index by name, label, annotation, variable and host name', () => {
    const world = started({ spec: indexed });
    const key = 'batch.kubernetes.io/job-completion-index';
    for (const [index, pod] of world.pods.entries()) {
      expect(pod.metadata.name).toMatch(new RegExp(`^work-${index}-[a-z0-9]{5}$`));
      expect(pod.metadata.labels?.[key]).toBe(String(index));
      expect(pod.metadata.annotations?.[key]).toBe(String(index));
      expect(pod.spec.hostname).toBe(`work-${index}`);
      expect(pod.spec.containers[0]?.env).toMatchObject([{ name: 'JOB_COMPLETION_INDEX' }]);
    }
    expect(world.pods).toHaveLength(3);
  });

  it('lists its completed indexes', () => {
    const world = started({ spec: { ...indexed, completions: 5, parallelism: 2 } });
    world.pass(1);
    expect(world.job().status).toMatchObject({ completedIndexes: '0,1', succeeded: 2, active: 2 });
    world.pass(5);
    expect(world.job().status).toMatchObject({ completedIndexes: '0-4', succeeded: 5 });
    expect(world.conditions()).toEqual(['SuccessCriteriaMet', 'Complete']);
  });

  it('fails after all indexes ended when each may fail for itself', () => {
    const run = 'case';
    const world = new ControllerWorld();
    const command = ['sh', '-c', 'sleep 1; exit $JOB_COMPLETION_INDEX'];
    const containers = [{ name: 'main', image: run, command }];
    const spec = { ...indexed, completions: 2, backoffLimitPerIndex: 1 };
    world.create('jobs', job({ spec, podSpec: { containers } }));
    world.pass(5);
    expect(world.job().status).toMatchObject({ completedIndexes: '0', failedIndexes: '' });
    world.pass(30);
    expect(world.job().status).toMatchObject({
      completedIndexes: '0',
      failedIndexes: '1',
      succeeded: 1,
      failed: 2,
    });
    expect(world.job().status?.conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'FailedIndexes',
    });
    const counts = world.pods.map(
      ({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'],
    );
    expect(counts.toSorted()).toEqual(['0', '0', '1']);
  });

  it('fails early when more indexes fail than it allows', () => {
    const spec = { ...indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 1 };
    const world = started({ run: 'exit 1', spec });
    world.pass(2);
    expect(world.job().status?.conditions?.at(-1)).toMatchObject({
      reason: 'MaxFailedIndexesExceeded',
    });
  });

  it('succeeds early by its success policy and stops the others', () => {
    const command = ['sh', '-c', 'sleep ${JOB_COMPLETION_INDEX}0'];
    const containers = [{ name: 'main', image: 'x', command }];
    const successPolicy = { rules: [{ succeededIndexes: '0', succeededCount: 1 }] };
    const world = started({ spec: { ...indexed, successPolicy }, podSpec: { containers } });
    world.pass(3);
    expect(world.conditions()).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(world.job().status).toMatchObject({ completedIndexes: '0', succeeded: 1 });
    expect(world.job().status?.conditions?.[1]).toMatchObject({
      reason: 'SuccessPolicy',
      message: 'Matched rules at index 0',
    });
    expect(phases(world)).toEqual(['Succeeded']);
  });
});

describe('a suspended Job', () => {
  it('that is born so has no Pod, no start and the condition', () => {
    const world = started({ spec: { suspend: true } });
    expect(world.pods).toEqual([]);
    expect(world.conditions()).toEqual(['Suspended']);
    expect(world.job().status?.startTime).toBeUndefined();
    expect(world.eventTexts('Job')).toEqual(['Suspended: Job suspended']);
  });

  it('loses its Pods without a failure and starts anew', () => {
    const world = started({ run: 'sleep 5', spec: { backoffLimit: 0, activeDeadlineSeconds: 8 } });
    world.pass(3);
    world.patch('jobs', 'work', { spec: { suspend: true } });
    world.pass(20);
    expect(world.pods).toEqual([]);
    expect(world.job().status).toMatchObject({ terminating: 0, ready: 0 });
    expect(world.job().status?.startTime).toBeUndefined();
    world.patch('jobs', 'work', { spec: { suspend: false } });
    expect(world.job().status?.startTime).toBe('2026-01-01T00:00:23Z');
    world.pass(6);
    expect(world.conditions()).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(world.job().status?.failed).toBeUndefined();
    expect(world.eventTexts('Job').map((text) => text.slice(0, text.indexOf(':')))).toEqual([
      'SuccessfulCreate',
      'SuccessfulDelete',
      'Suspended',
      'SuccessfulCreate',
      'Resumed',
      'Completed',
    ]);
  });
});

describe('whose Pods are whose', () => {
  const labelled = { selector: { matchLabels: { app: 'x' } }, manualSelector: true };
  const template = (run: string) => ({
    template: {
      metadata: { labels: { app: 'x' } },
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'x', command: ['sh', '-c', run] }],
      },
    },
  });

  it('adopts a Pod without controller that it selects', () => {
    const world = new ControllerWorld();
    const spec = { containers: [{ name: 'main', image: 'x', command: ['sleep', '9'] }] };
    const metadata = { name: 'stray', labels: { app: 'x' } };
    world.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { ...spec, restartPolicy: 'Never' },
    });
    world.create('jobs', job({ spec: { ...labelled, ...template('sleep 9') } }));
    world.patch('pods', 'stray', { metadata: { annotations: { touched: 'yes' } } });
    expect(world.pod('stray').metadata.ownerReferences).toMatchObject([
      { name: 'work', controller: true },
    ]);
    world.pass(20);
    expect(world.job().status).toMatchObject({ succeeded: 1 });
  });

  it('lets a Pod go whose labels it selects no longer', () => {
    const world = started({ run: 'sleep 60' });
    const name = world.pods[0]?.metadata.name ?? '';
    const label = 'batch.kubernetes.io/controller-uid';
    world.patch('pods', name, { metadata: { labels: { [label]: 'other' } } });
    expect(world.pod(name).metadata.ownerReferences ?? []).toEqual([]);
    expect(world.pods).toHaveLength(2);
  });

  it('leaves Jobs alone that another controller manages', () => {
    const world = started({ spec: { managedBy: 'example.com/other' } });
    world.pass(5);
    expect(world.pods).toEqual([]);
    expect(world.job().status ?? {}).toEqual({});
  });
});

describe('a restart of the controllers', () => {
  it('changes nothing for Jobs under way', () => {
    const world = started({ run: 'sleep 10', spec: { completions: 2 } });
    world.pass(3);
    const before = world.sandbox.store.revision;
    world.restartControllers();
    expect(world.sandbox.store.revision).toBe(before);
    world.pass(30);
    expect(world.conditions()).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(world.seconds).toBe(33);
  });
});
