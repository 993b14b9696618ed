import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { rfc3339 } from '#shared/domain/time.ts';
import { createNodes } from '#test/support/control-plane/nodes.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, type FlowWorld, step, untilEnded } from '#test/support/flow-world.ts';
import { holdQuota } from '#test/support/held-quota.ts';

/** Longer than the first failed creation of a Pod, its grace, and the wait after it. */
const slowMs = 90_000;
const pod = { containers: [{ name: 'main', image: 'busybox:1.28' }] };
const gate = { schedulingGates: [{ name: 'test.millrace.dev/hold' }] };

function untilReason(world: FlowWorld, name: string, reason: string | undefined) {
  return world.until(
    `flow ${name} has the reason ${reason ?? '(none)'}`,
    () => {
      const status = world.flow(name)?.status;
      const isReported = status !== undefined && status.reason === reason;
      return isReported && world.step(name, 'a')?.reason === reason ? status : undefined;
    },
    slowMs,
  );
}

async function eventsOf(world: FlowWorld, name: string, reason: string) {
  const all = await world.events();
  return all.filter(
    ({ involvedObject, ...event }) => involvedObject?.name === name && event.reason === reason,
  );
}

async function podOf(world: FlowWorld, jobName: string) {
  const pod = await world.until(`the Pod of ${jobName}`, () => world.pods(jobName)[0]);
  return pod.metadata.name;
}

/** The status that a kubelet reports for the only container of a Pod that it accepted. */
function waiting(reason: string, message: string) {
  const containerStatus = { name: 'main', image: 'nope:1', imageID: '', ready: false };
  const state = { waiting: { reason, message } };
  return {
    status: {
      startTime: '2026-01-05T10:00:00Z',
      conditions: [{ type: 'PodScheduled', status: 'True' }],
      containerStatuses: [{ ...containerStatus, restartCount: 0, state }],
    },
  };
}

describeFlows('why a step waits', (suite) => {
  it.concurrent('reports once that no node has what its Pod asks for', async () => {
    const world = await suite.world('no-room');
    const resources = { requests: { cpu: '999' } };
    const containers = [{ name: 'main', image: 'busybox:1.28', resources }];
    await world.apply(flow('wide', [step('a', { pod: { containers } }), step('b')]));
    const { message = '' } = await untilReason(world, 'wide', 'Unschedulable');
    const pod = await podOf(world, 'wide-a');
    expect(message).toContain(`step a: Pod ${pod}: 0/`);
    expect(message).toContain('Insufficient cpu');
    expect(message).toMatch(new RegExp(`; kubectl -n ${world.namespace} describe pod ${pod}$`));
    expect(world.step('wide', 'b')).not.toHaveProperty('reason');
    expect(await world.kubectl(['get', 'jobflow', 'wide', '-o', 'wide'])).toContain('Insufficient');
    const [event, ...others] = await eventsOf(world, 'wide', 'Unschedulable');
    expect(others).toEqual([]);
    expect(event?.message).toContain('step a: Unschedulable: Pod');
  });

  it.concurrent(
    'reports a missing node, and no longer when it has come',
    async ({ onTestFinished }) => {
      const world = await suite.world('misspelt-node');
      const nodeName = `late-${randomBytes(3).toString('hex')}`;
      // Other files count nodes.
      onTestFinished(async () => {
        await suite.cluster.kubectl(['delete', 'node', nodeName, '--ignore-not-found']);
      });
      await world.apply(flow('bound', [step('a')], { globalParams: { nodeName } }));
      await untilReason(world, 'bound', 'Unschedulable');
      await createNodes(suite.cluster, 1, [nodeName]);
      const { status } = await world.untilState('bound', 'Succeed');
      expect(status).not.toHaveProperty('reason');
      expect(status).not.toHaveProperty('message');
      expect(world.step('bound', 'a')).not.toHaveProperty('reason');
      expect(await eventsOf(world, 'bound', 'Unschedulable')).toHaveLength(1);
    },
  );

  it.concurrent(
    'reports once that an image cannot be pulled, however often the kubelet tries, until it can',
    async () => {
      const world = await suite.world('no-image');
      await world.apply(flow('pulls', [step('a', { pod: gate })]));
      const pod = await podOf(world, 'pulls-a');
      const report = (reason: string, message: string) =>
        world.patch('Pod', pod, waiting(reason, message), 'status');
      await report('ErrImagePull', 'nope:1 not found');
      const { message } = await untilReason(world, 'pulls', 'ImagePullBackOff');
      expect(message).toContain('image "nope:1" of container main cannot be pulled: nope:1 not');
      // The audit log has a write some time later than the watch.
      const sinceMs = Date.now();
      for (let round = 1; round <= 5; round += 1) {
        await report('ImagePullBackOff', `Back-off pulling image for the time ${round}`);
        await report('ErrImagePull', `nope:1 not found at attempt ${round}`);
      }
      await world.throughout(
        3_000,
        'the message stays',
        () => world.flow('pulls')?.status?.message === message,
      );
      const status = { resource: 'jobflows', subresource: 'status' };
      expect(await world.requests({ verb: 'patch', ...status, sinceMs })).toEqual([]);
      expect(await eventsOf(world, 'pulls', 'ImagePullBackOff')).toHaveLength(1);
      await world.patch('Pod', pod, { spec: { schedulingGates: null } });
      const { status: last } = await world.untilState('pulls', 'Succeed');
      expect(last).not.toHaveProperty('message');
    },
  );

  it.concurrent('reports a missing Secret, and the next one', async () => {
    const world = await suite.world('no-secret');
    await world.apply(flow('mounts', [step('a', { pod: gate })]));
    const pod = await podOf(world, 'mounts-a');
    for (const secret of ['first', 'second']) {
      const words = `secret "${secret}" not found`;
      await world.patch('Pod', pod, waiting('CreateContainerConfigError', words), 'status');
      await world.until(
        `the message names ${secret}`,
        () => world.flow('mounts')?.status?.message?.includes(words) === true,
      );
    }
    expect(world.step('mounts', 'a')?.reason).toBe('CreateContainerConfigError');
  });

  it.concurrent(
    'reports in the words of its Events why a Job gets no Pod, until it gets one',
    { timeout: 2 * slowMs },
    async () => {
      const world = await suite.world('no-quota');
      const trial = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'trial' }, spec: pod };
      await holdQuota(world, { name: 'none', resource: 'pods', most: 0, trial });
      await world.apply(flow('poor', [step('a')]));
      const { message } = await untilReason(world, 'poor', 'FailedCreate');
      expect(message).toContain('exceeded quota: none, requested: pods=1');
      expect(message).toContain(`; kubectl -n ${world.namespace} describe job poor-a`);
      expect(await eventsOf(world, 'poor', 'FailedCreate')).toHaveLength(1);
      await world.kubectl(['delete', 'quota', 'none']);
      const { status } = await world.untilState('poor', 'Succeed', slowMs);
      expect(status).not.toHaveProperty('reason');
    },
  );

  it.concurrent.each([
    [
      'a PriorityClass',
      'no-class',
      { priorityClassName: 'no-such' },
      'no PriorityClass with name no-such',
    ],
    [
      'a service account',
      'no-account',
      { serviceAccountName: 'no-such' },
      'serviceaccount "no-such" not found',
    ],
  ])(
    'names %s that is missing, in few reads',
    { timeout: slowMs },
    async (_, title, fields, words) => {
      const world = await suite.world(title);
      await world.apply(flow('pc', [step('a', { pod: { ...pod, ...fields } })]));
      const { message } = await untilReason(world, 'pc', 'FailedCreate');
      expect(message).toContain('step a: no Pod could be created: ');
      expect(message).toContain(words);
      expect(await eventsOf(world, 'pc', 'NoPod')).toEqual([]);
      const reads = await world.requests({
        verb: 'list',
        resource: 'events',
        userAgent: /millrace/,
      });
      expect(reads).toHaveLength(1);
    },
  );

  it.concurrent('names a LimitRange, and what it asks for', { timeout: slowMs }, async () => {
    const world = await suite.world('limits');
    const limits = [{ type: 'Container', max: { cpu: '100m' }, default: { cpu: '100m' } }];
    const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'small' } };
    await world.kubectl(['create', '-f', '-'], JSON.stringify({ ...range, spec: { limits } }));
    const resources = { limits: { cpu: '2' } };
    const containers = [{ name: 'main', image: 'busybox:1.28', resources }];
    await world.apply(flow('big', [step('a', { pod: { containers } })]));
    const { message } = await untilReason(world, 'big', 'FailedCreate');
    expect(message).toContain('maximum cpu usage per Container is 100m, but limit is 2');
  });

  it.concurrent('names a parallelism of 0, and no other cause', { timeout: slowMs }, async () => {
    const world = await suite.world('no-parallelism');
    await world.apply(flow('par0', [step('a', { job: { parallelism: 0 } })]));
    const { message } = await untilReason(world, 'par0', 'NoPod');
    expect(message).toContain('step a: spec.parallelism of the Job is 0, so it starts no Pod');
  });
});

describeFlows('what a template misspells', (suite) => {
  it.concurrent(
    'is reported in the step and by one Event, also when it is tried again',
    async () => {
      const world = await suite.world('misspelt');
      const resources = { request: { cpu: '1' } };
      const containers = [{ name: 'main', image: 'busybox:1.28', resources }];
      const again = { limit: 1, backoffSeconds: 0 };
      await world.apply(
        flow('typo', [
          step('a', { pod: { containers }, runFor: untilEnded }),
          step('b', { pod: { containers }, exitCode: 1, after: ['a'], retryPolicy: again }),
        ]),
      );
      const field = 'unknown field "spec.template.spec.containers[0].resources.request"';
      const running = await world.until('step a runs and says so', () => {
        const record = world.step('typo', 'a');
        return record?.state === 'Running' && record.message?.includes(field) ? record : undefined;
      });
      expect(running.reason).toBe('UnknownField');
      expect(running.message).toContain('; kubectl explain job.spec.template.spec.containers.res');
      expect(world.flow('typo')?.status).not.toHaveProperty('reason');
      await world.endPod('typo-a');
      await world.untilState('typo', 'Failed');
      const events = await eventsOf(world, 'typo', 'UnknownField');
      expect(events.map(({ message = '' }) => message.slice(0, 22)).toSorted()).toEqual([
        'step a: unknown field ',
        'step b: unknown field ',
      ]);
    },
  );
});

describeFlows('why a step failed', (suite) => {
  it.concurrent('names the container and its exit code, with the command for its log', async () => {
    const world = await suite.world('exit-code');
    await world.apply(flow('exits', [step('a', { exitCode: 3 })]));
    const { status } = await world.untilState('exits', 'Failed');
    const message = `container main exited 3; kubectl -n ${world.namespace} logs job/exits-a`;
    expect(world.step('exits', 'a')).toMatchObject({ reason: 'BackoffLimitExceeded', message });
    expect(status?.message).toBe(`failed: a (BackoffLimitExceeded: ${message})`);
    const [event] = await eventsOf(world, 'exits', 'StepFailed');
    expect(event?.message).toContain(message);
  });

  it.concurrent("has the Job's own words when its Pod is gone before it is looked at", async () => {
    const world = await suite.world('pod-gone');
    const conditions = (type: string) => ({
      type,
      status: 'True',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
      lastTransitionTime: rfc3339(Date.now()),
      lastProbeTime: rfc3339(Date.now()),
    });
    await world.apply(flow('gone', [step('a', { pod: gate })]));
    await podOf(world, 'gone-a');
    // A Job that has not started cannot have failed.
    await world.untilJob('gone-a', 'has started', ({ status }) => status?.startTime !== undefined);
    await world.patch(
      'Job',
      'gone-a',
      {
        status: {
          active: 0,
          ready: 0,
          failed: 1,
          conditions: ['FailureTarget', 'Failed'].map(conditions),
        },
      },
      'status',
    );
    await world.untilState('gone', 'Failed');
    expect(world.step('gone', 'a')?.message).toBe('Job has reached the specified backoff limit');
  });
});
