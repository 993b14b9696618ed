import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { podReport, reducedPodStatus } from './pod-status.ts';
import { essenceOf, podTrouble } from './pod-trouble.ts';

const since = '2026-01-05T10:00:00Z';
const pod = (status: object) => ({ metadata: {}, status });
const notScheduled = (message: string, reason = 'Unschedulable') => ({
  phase: 'Pending',
  conditions: [
    { type: 'PodScheduled', status: 'False', reason, message, lastTransitionTime: since },
  ],
});
const waiting = (reason: string, message?: string) => ({
  name: 'main',
  image: 'nope:1',
  state: { waiting: { reason, message } },
});
const onNode = (...containerStatuses: readonly object[]) => ({
  phase: 'Pending',
  startTime: since,
  conditions: [{ type: 'PodScheduled', status: 'True' }],
  containerStatuses,
});

describe('why a Pod does not run', () => {
  it('no node takes it: the words of the scheduler, and since when', () => {
    const message = '0/3 nodes are available: 3 Insufficient cpu.';
    expect(podTrouble(pod(notScheduled(message)))).toEqual({
      reason: 'Unschedulable',
      message,
      since,
    });
  });

  it.each([
    ['ErrImagePull', 'not found'],
    ['ImagePullBackOff', 'Back-off pulling image "nope:1"'],
  ])('its image cannot be pulled: %s is reported as one and the same reason', (reason, message) => {
    expect(podTrouble(pod(onNode(waiting(reason, message))))).toEqual({
      reason: 'ImagePullBackOff',
      message: `image "nope:1" of container main cannot be pulled: ${message}`,
      since,
    });
  });

  it.each(['InvalidImageName', 'CreateContainerConfigError', 'CreateContainerError'])(
    'its container cannot be started: %s with the words of the kubelet',
    (reason) => {
      expect(podTrouble(pod(onNode(waiting(reason, 'secret "s" not found'))))).toEqual({
        reason,
        message: 'container main is not started: secret "s" not found',
        since,
      });
    },
  );

  it.each([
    [{ schedulerName: 'mine' }, 'NotScheduled', 'check that the scheduler "mine"'],
    [
      { schedulerName: 'x', resourceClaims: [{ name: 'g', resourceClaimName: 'gpu' }] },
      'NotScheduled',
      'check that its ResourceClaims exist: gpu',
    ],
    [{ schedulerName: 'x', nodeName: 'n' }, 'NotAccepted', 'node n has not started it yet'],
  ])('no kubelet or scheduler has reported on it: %j is %s', (spec, reason, words) => {
    const silent = { metadata: { creationTimestamp: since }, spec, status: { phase: 'Pending' } };
    expect(podTrouble(silent)).toMatchObject({ reason, since });
    expect(podTrouble(silent)?.message).toContain(words);
    expect(podTrouble({ ...silent, status: { phase: 'Running' } })).toBeUndefined();
    expect(podTrouble({ ...silent, status: onNode() })).toBeUndefined();
  });

  it('an init container comes before the others, which only wait for it', () => {
    const status = {
      ...onNode(waiting('PodInitializing')),
      initContainerStatuses: [{ ...waiting('ErrImagePull'), name: 'prepare' }],
    };
    expect(podTrouble(pod(status))?.message).toContain('container prepare');
  });

  it('its containers are being created, which only counts when it lasts', () => {
    expect(podTrouble(pod(onNode(waiting('ContainerCreating'))))).toEqual({
      reason: 'ContainerCreating',
      message: 'container main is not created',
      since,
    });
  });

  it('its init containers are being created, which have another word for it', () => {
    const status = {
      ...onNode(waiting('PodInitializing')),
      initContainerStatuses: [{ ...waiting('PodInitializing'), name: 'prepare' }],
    };
    expect(podTrouble(pod(status))).toMatchObject({
      reason: 'ContainerCreating',
      message: 'container prepare is not created',
    });
  });

  it.each([
    [
      'it runs',
      { phase: 'Running', containerStatuses: [{ name: 'main', state: { running: {} } }] },
    ],
    ['it has ended', { ...notScheduled('x'), phase: 'Failed' }],
    ['no scheduler has looked at it yet', { phase: 'Pending' }],
    [
      'an init container runs',
      {
        ...onNode(waiting('PodInitializing')),
        initContainerStatuses: [{ name: 'prepare', state: { running: {} } }],
      },
    ],
  ])('nothing: %s', (_, status) => {
    expect(podTrouble(pod(status))).toBeUndefined();
  });

  it('nothing: it is being deleted', () => {
    const deleted = { ...pod(notScheduled('x')), metadata: { deletionTimestamp: since } };
    expect(podTrouble(deleted)).toBeUndefined();
  });
});

describe('the essence of a problem', () => {
  const unschedulable = (message: string) => essenceOf({ reason: 'Unschedulable', message });

  it('is the same however many nodes are counted and whatever each of them lacks', () => {
    const few = '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available.';
    const many = '0/40 nodes are available: 1 node(s) had untolerated taint(s), 39 Too many pods.';
    expect(unschedulable(few)).toBe(unschedulable(many));
  });

  it('differs by the claim that is missing, and from a lack of nodes', () => {
    const missing = (claim: string) =>
      `0/3 nodes are available: persistentvolumeclaim "${claim}" not found. preemption: 0/3 nodes.`;
    const all = [missing('a'), missing('b'), '0/3 nodes are available: 3 Insufficient cpu.'];
    expect(new Set(all.map(unschedulable)).size).toBe(3);
    expect(unschedulable(missing('a'))).toBe(unschedulable(missing('a').replaceAll('3', '4')));
  });

  it('differs by the Secret that is missing, not by the wait of a back-off', () => {
    const secret = (message: string) =>
      essenceOf({ reason: 'CreateContainerConfigError', message });
    expect(secret('secret "a" not found')).not.toBe(secret('secret "b" not found'));
    const backOff = (message: string) => essenceOf({ reason: 'CrashLoopBackOff', message });
    expect(backOff('back-off 10s')).toBe(backOff('back-off 5m0s'));
  });
});

describe('a reduced status', () => {
  it('of a healthy Pod is its phase', () => {
    const healthy = {
      ...onNode({ name: 'main', image: 'busybox', state: { running: { startedAt: since } } }),
      phase: 'Running',
      podIP: '10.0.0.1',
    };
    expect(reducedPodStatus(healthy)).toEqual({ phase: 'Running' });
  });

  it('gives the same result as the whole one', () => {
    const word = fc.constantFrom('ErrImagePull', 'ContainerCreating', 'x', '');
    const state = fc.oneof(
      fc.record({ waiting: fc.record({ reason: word, message: fc.string() }) }),
      fc.record({ running: fc.record({ startedAt: fc.constant(since) }) }),
      fc.record({
        terminated: fc.record({ exitCode: fc.nat(200), reason: word, finishedAt: fc.string() }),
      }),
      fc.jsonValue(),
    );
    const containers = fc.array(
      fc.record({ name: fc.string(), image: fc.string(), state }, { requiredKeys: ['name'] }),
    );
    const condition = fc.record({
      type: fc.constantFrom('PodScheduled', 'DisruptionTarget', 'Ready'),
      status: fc.constantFrom('True', 'False'),
      reason: fc.string(),
      message: fc.string(),
      lastTransitionTime: fc.constant(since),
    });
    const status = fc.record(
      {
        phase: fc.constantFrom('Pending', 'Running', 'Failed'),
        reason: fc.string(),
        startTime: fc.constant(since),
        conditions: fc.oneof(fc.array(condition), fc.jsonValue()),
        containerStatuses: fc.oneof(containers, fc.jsonValue()),
        initContainerStatuses: containers,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(status, (whole) => {
        const reduced = reducedPodStatus(whole);
        expect(podTrouble(pod(reduced))).toEqual(podTrouble(pod(whole)));
        expect(podReport(reduced).containers).toEqual(podReport(whole).containers);
        expect(reducedPodStatus(reduced)).toEqual(reduced);
      }),
    );
  });

  it('has no text of more than 512 characters', () => {
    const long = 'x'.repeat(10_000);
    expect(JSON.stringify(reducedPodStatus(notScheduled(long))).length).toBeLessThan(1_000);
  });
});

describe('a Pod of which some containers have ended and others go on', () => {
  const ended = (name: string, exitCode = 0, finishedAt = since) => ({
    name,
    state: { terminated: { exitCode, finishedAt, containerID: 'x' } },
  });
  const runs = { name: 'log-agent', ready: true, state: { running: { startedAt: since } } };
  const status = (...containerStatuses: readonly object[]) => ({
    phase: 'Running',
    containerStatuses,
  });
  const later = '2026-01-05T10:00:30Z';

  it('names both, and since when', () => {
    const trouble = podTrouble(pod(status(ended('main'), ended('load', 0, later), runs)));
    expect(trouble).toEqual({
      reason: 'ContainersStillRunning',
      message:
        'container main, load has ended and log-agent still runs: if log-agent is a sidecar, make it an init container with restartPolicy Always',
      since: later,
    });
  });

  it.each([
    ['none has ended', status(runs)],
    ['all have ended', status(ended('main'))],
    ['one has failed, which its Job reports', status(ended('main'), ended('load', 1), runs)],
    ['it is over', { ...status(ended('main'), runs), phase: 'Succeeded' }],
  ])('has no trouble where %s', (_, status) => {
    expect(podTrouble(pod(status))).toBeUndefined();
  });

  it('keeps its trouble when its status is reduced, once and twice', () => {
    const once = reducedPodStatus(status(ended('main'), runs));
    expect(podTrouble(pod(once))).toEqual(podTrouble(pod(status(ended('main'), runs))));
    expect(reducedPodStatus(once)).toEqual(once);
  });
});
