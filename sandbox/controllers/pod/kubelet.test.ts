import { describe, expect, it } from 'vitest';
import { container, ControllerWorld, pod } from '../testing/controller-world.ts';
import { KubeletLogs } from './pod-logs.ts';

function started(spec: object = {}, metadata: object = {}): ControllerWorld {
  const world = new ControllerWorld();
  world.create('pods', pod('p', spec, metadata));
  return world;
}

const annotated = (annotations: Record<string, string>) => ({
  annotations: Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [`sandbox.millrace.dev/${name}`, value]),
  ),
});
const phase = (world: ControllerWorld) => world.pod('p').status?.phase;
const main = (world: ControllerWorld) => world.pod('p').status?.containerStatuses?.[0];
const conditions = (world: ControllerWorld) =>
  Object.fromEntries(
    world.pod('p').status?.conditions?.map(({ type, status }) => [type, status]) ?? [],
  );

describe('a Pod that runs to its end', () => {
  it('is scheduled, running and ready at once', () => {
    const world = started();
    expect(world.pod('p').status).toMatchObject({
      phase: 'Running',
      startTime: '2026-01-01T00:00:00Z',
      podIP: expect.stringMatching(/^10\.\d+\.\d+\.\d+$/) as string,
      containerStatuses: [{ name: 'main', ready: true, restartCount: 0 }],
    });
    expect(conditions(world)).toEqual({
      PodScheduled: 'True',
      PodReadyToStartContainers: 'True',
      Initialized: 'True',
      ContainersReady: 'True',
      Ready: 'True',
    });
  });

  it('succeeds after the sleep of its command', () => {
    const world = started({ containers: [container('sleep 7')] });
    world.pass(6.9);
    expect(phase(world)).toBe('Running');
    world.pass(0.1);
    expect(phase(world)).toBe('Succeeded');
    expect(main(world)?.state.terminated).toMatchObject({
      exitCode: 0,
      reason: 'Completed',
      startedAt: '2026-01-01T00:00:00Z',
      finishedAt: '2026-01-01T00:00:07Z',
    });
    expect(conditions(world)).toMatchObject({ Ready: 'False', Initialized: 'True' });
  });

  it('fails with the exit code of its command', () => {
    const world = started({ containers: [container('sleep 1; exit 3')] });
    world.pass(2);
    expect(phase(world)).toBe('Failed');
    expect(main(world)?.state.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
  });

  it('does as its annotations say, whatever the command', () => {
    const world = started({}, annotated({ 'run-seconds': '2.5', 'exit-code': '42' }));
    world.pass(2.4);
    expect(phase(world)).toBe('Running');
    world.pass(0.1);
    expect(main(world)?.state.terminated?.exitCode).toBe(42);
  });

  it('runs one second when its duration is unknown', () => {
    const world = started({ containers: [{ name: 'main', image: 'train', command: ['train'] }] });
    world.pass(0.9);
    expect(phase(world)).toBe('Running');
    world.pass(0.1);
    expect(phase(world)).toBe('Succeeded');
  });

  it('ends with its last container, and fails when any has failed', () => {
    const second = { ...container('sleep 5'), name: 'second' };
    const world = started({ containers: [container('exit 1'), second] });
    world.pass(4);
    expect(phase(world)).toBe('Running');
    expect(conditions(world)).toMatchObject({ Ready: 'False' });
    world.pass(1);
    expect(phase(world)).toBe('Failed');
  });

  it('fails at its own deadline', () => {
    const world = started({ containers: [container('sleep 60')], activeDeadlineSeconds: 3 });
    world.pass(4);
    expect(world.pod('p').status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('never starts when its image cannot be had', () => {
    const world = started({}, annotated({ 'image-error': 'true' }));
    world.pass(60);
    expect(phase(world)).toBe('Pending');
    expect(main(world)?.state.waiting?.reason).toBe('ErrImagePull');
    expect(world.eventTexts('Pod').join()).toContain('Failed: Failed to pull image');
  });
});

describe('init containers', () => {
  const first = { ...container('sleep 2'), name: 'first' };
  const second = { ...container('sleep 3'), name: 'second' };

  it('run one after the other before all others', () => {
    const world = started({ initContainers: [first, second] });
    expect(phase(world)).toBe('Pending');
    expect(conditions(world)).toMatchObject({ Initialized: 'False' });
    world.pass(4.9);
    expect(main(world)?.state.waiting?.reason).toBe('PodInitializing');
    world.pass(0.1);
    expect(phase(world)).toBe('Running');
    world.pass(1);
    expect(phase(world)).toBe('Succeeded');
    const starts = world
      .pod('p')
      .status?.initContainerStatuses?.map(({ state }) => state.terminated?.startedAt);
    expect(starts).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:02Z']);
  });

  it('that fail, fail the Pod', () => {
    const world = started({ initContainers: [{ ...container('exit 1'), name: 'first' }] });
    world.pass(1);
    expect(phase(world)).toBe('Failed');
    expect(main(world)?.state.waiting).toBeDefined();
  });

  it('that restart always run beside the others and end after them', () => {
    const sidecar = { ...container('serve'), name: 'sidecar', restartPolicy: 'Always' };
    const world = started({ initContainers: [sidecar], containers: [container('sleep 3')] });
    expect(phase(world)).toBe('Running');
    world.pass(3);
    expect(phase(world)).toBe('Succeeded');
    const [status] = world.pod('p').status?.initContainerStatuses ?? [];
    expect(status?.state.terminated).toBeDefined();
  });
});

describe('restarts', () => {
  it('follow at once, then after 10 s and 20 s', () => {
    const world = started({ restartPolicy: 'OnFailure', containers: [container('exit 1')] });
    const starts: number[] = [];
    let count = -1;
    for (let tenths = 0; tenths < 400; tenths += 1) {
      const { restartCount = 0, state } = main(world) ?? {};
      if (state?.running !== undefined || restartCount !== count) starts.push(world.seconds);
      count = restartCount;
      world.pass(0.1);
    }
    expect(count).toBe(3);
    expect(starts.map(Math.floor)).toEqual([0, 10, 30]);
    expect(main(world)).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1 } },
    });
    expect(phase(world)).toBe('Running');
  });

  it('end with a success where only failures restart', () => {
    const world = started({ restartPolicy: 'OnFailure', containers: [container('sleep 1')] });
    world.pass(5);
    expect(phase(world)).toBe('Succeeded');
    expect(main(world)?.restartCount).toBe(0);
  });

  it('never come for a service, which runs on', () => {
    const world = started({ restartPolicy: 'Always', containers: [container('serve')] });
    world.pass(3_600);
    expect(phase(world)).toBe('Running');
    expect(main(world)?.restartCount).toBe(0);
  });
});

describe('a deleted Pod', () => {
  const sleeper = { containers: [container('sleep 600')] };

  it('is stopped, recorded as failed, and gone', () => {
    const world = started(sleeper);
    const seen: string[] = [];
    world.sandbox.store.onChange(({ type, object }) => {
      const { phase } = (object.status ?? {}) as { phase?: string };
      if (object.kind === 'Pod') seen.push(`${type} ${phase ?? ''}`);
    });
    world.delete('pods', 'p');
    expect(world.pods).toEqual([]);
    expect(seen.slice(0, 2)).toEqual(['MODIFIED Running', 'MODIFIED Failed']);
    expect(seen.at(-1)).toBe('DELETED Failed');
  });

  it('may take its time, but no longer than its grace', () => {
    const world = started(
      { ...sleeper, terminationGracePeriodSeconds: 5 },
      annotated({ 'stop-seconds': '60' }),
    );
    world.delete('pods', 'p');
    world.pass(4.9);
    expect(phase(world)).toBe('Running');
    world.pass(0.1);
    expect(world.pods).toEqual([]);
  });

  it('stays with a finalizer, ended', () => {
    const world = started(sleeper, { finalizers: ['example.com/keep'] });
    world.delete('pods', 'p');
    world.pass(60);
    expect(phase(world)).toBe('Failed');
    expect(main(world)?.state.terminated?.exitCode).toBe(137);
    world.patch('pods', 'p', { metadata: { finalizers: null } });
    expect(world.pods).toEqual([]);
  });
});

describe('a Pod whose node is not there', () => {
  const sleeper = { containers: [container('sleep 600')] };
  const ready = (status: string) => ({ status: { conditions: [{ type: 'Ready', status }] } });

  it('stays as it is while the node is not ready, and goes on with it', () => {
    const world = started({ containers: [container('sleep 20')] });
    world.patch('nodes', 'node-1', ready('False'), 'status');
    world.pass(100);
    expect(phase(world)).toBe('Running');
    world.patch('nodes', 'node-1', ready('True'), 'status');
    expect(phase(world)).toBe('Succeeded');
  });

  it('is deleted after five minutes of a node that is not ready, and gone when that is back', () => {
    const world = started(sleeper);
    world.patch('nodes', 'node-1', ready('Unknown'), 'status');
    world.pass(299);
    expect(world.pod('p').metadata.deletionTimestamp).toBeUndefined();
    world.pass(2);
    expect(world.pod('p').metadata.deletionTimestamp).toBeDefined();
    expect(conditions(world)).toMatchObject({ DisruptionTarget: 'True' });
    world.patch('nodes', 'node-1', ready('True'), 'status');
    expect(world.pods).toEqual([]);
  });

  it('is taken away 40 s after the node', () => {
    const world = started(sleeper, { finalizers: ['example.com/keep'] });
    world.delete('nodes', 'node-1');
    world.pass(39);
    expect(phase(world)).toBe('Running');
    world.pass(2);
    expect(phase(world)).toBe('Failed');
    expect(conditions(world)).toMatchObject({ DisruptionTarget: 'True' });
    world.patch('pods', 'p', { metadata: { finalizers: null } });
    expect(world.pods).toEqual([]);
  });

  it('is taken away at once when it is deleted and never had one', () => {
    const world = started({ nodeSelector: { none: 'such' } }, { finalizers: ['example.com/keep'] });
    world.delete('pods', 'p');
    expect(phase(world)).toBe('Failed');
  });
});

describe('a Pod that names its node', () => {
  it('is refused by the kubelet when it does not fit, one after the other', () => {
    const world = new ControllerWorld();
    const requests = { cpu: '5' };
    const big = { ...container('sleep 60'), resources: { requests } };
    for (const name of ['one', 'two']) {
      world.create('pods', pod(name, { nodeName: 'node-1', containers: [big] }));
    }
    expect(world.pod('one').status?.phase).toBe('Running');
    expect(world.pod('two').status).toMatchObject({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message:
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 5000, used: 5000, capacity: 8000",
    });
  });

  it('is refused when its affinity says otherwise', () => {
    const world = started({ nodeName: 'node-1', nodeSelector: { disk: 'fast' } });
    expect(world.pod('p').status).toMatchObject({ phase: 'Failed', reason: 'NodeAffinity' });
  });
});

describe('logs', () => {
  const logsOf = (world: ControllerWorld, previous = false) =>
    new KubeletLogs(world.runtime, { now: () => world.nowMs }).logsOf(
      world.pod('p'),
      'main',
      previous,
    );

  it('show what echo has printed by now', () => {
    const world = started({ containers: [container('echo one; sleep 5; echo two; sleep 5')] });
    const first = { atMs: world.nowMs, text: 'one' };
    expect(logsOf(world)).toEqual({ lines: [first], isRunning: true });
    world.pass(20);
    const second = { atMs: first.atMs + 5_000, text: 'two' };
    expect(logsOf(world)).toEqual({ lines: [first, second], isRunning: false });
  });

  it('say that nothing was run when the output of the command is unknown', () => {
    const world = started();
    expect(logsOf(world)?.lines[0]?.text).toContain('simulated');
  });

  it('are those of the run before the restart, when these are asked for', () => {
    const world = started({
      restartPolicy: 'OnFailure',
      containers: [container('echo run; sleep 3; exit 1')],
    });
    expect(logsOf(world, true)).toBeUndefined();
    world.pass(4);
    expect(logsOf(world)).toMatchObject({ isRunning: true });
    expect(logsOf(world, true)).toMatchObject({ lines: [{ text: 'run' }], isRunning: false });
  });

  it('are none before the start', () => {
    expect(logsOf(started({ nodeSelector: { none: 'such' } }))).toBeUndefined();
  });
});
