import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';

describeFlows('time to live', (suite) => {
  it.concurrent(
    'records a child with ttlSecondsAfterFinished 0 before it vanishes, and never runs it again (scenario 24, volcano state/running.go)',
    async () => {
      const world = await suite.world('child-ttl');
      const job = { ttlSecondsAfterFinished: 0 };
      await world.apply(
        flow('brief', [
          step('a', { job }),
          step('b', { job, after: ['a'] }),
          step('c', { job, after: ['a', 'b'] }),
        ]),
      );
      await world.untilState('brief', 'Succeed');
      await world.until('every child is removed', () => world.jobs().length === 0);
      await world.patchFlow('brief', { metadata: { annotations: { touched: 'yes' } } });
      await world.throughout(2_000, 'none comes back', () => world.jobs().length === 0);
      expect(await world.namesEverCreated()).toEqual(['brief-a', 'brief-b', 'brief-c']);
      expect(world.flow('brief')?.status?.state).toBe('Succeed');
    },
  );

  it.concurrent('removes a failed child after its TTL, too (rule 14)', async () => {
    const world = await suite.world('failed-child-ttl');
    await world.apply(
      flow('brief', [step('a', { exitCode: 1, job: { ttlSecondsAfterFinished: 0 } })]),
    );
    await world.untilState('brief', 'Failed');
    await world.until('the child is removed', () => world.jobs().length === 0);
    expect(world.step('brief', 'a')).toMatchObject({
      state: 'Failed',
      reason: 'BackoffLimitExceeded',
    });
  });

  it.concurrent(
    'deletes a finished flow and its children when its TTL is over (rule 14)',
    async () => {
      const world = await suite.world('flow-ttl');
      await world.apply(flow('expires', [step('a')], { ttlSecondsAfterFinished: 2 }));
      await world.untilState('expires', 'Succeed');
      await world.until(
        'flow and child are gone',
        () => world.flow('expires') === undefined && world.jobs().length === 0,
      );
    },
  );

  it.concurrent(
    'keeps a finished flow when its TTL is lengthened in time (rules 14 and 16)',
    async () => {
      const world = await suite.world('longer-ttl');
      // The change has this much time; only the end of the first TTL shows that it was seen.
      const ttlSecondsAfterFinished = 15;
      await world.apply(flow('kept', [step('a')], { ttlSecondsAfterFinished }));
      const { status } = await world.untilState('kept', 'Succeed');
      await world.patchFlow('kept', { spec: { ttlSecondsAfterFinished: 3_600 } });
      const firstEndMs = Date.parse(status?.completionTime ?? '') + ttlSecondsAfterFinished * 1_000;
      await world.throughout(
        firstEndMs + 2_000 - Date.now(),
        'the flow is there',
        () => world.flow('kept') !== undefined,
      );
    },
  );

  it.concurrent(
    'does not delete a flow that is retried just before its TTL (scenario 30, argo#12636)',
    async () => {
      const world = await suite.world('retried-in-time');
      await world.apply(
        flow('revived', [step('a', { runFor: untilEnded })], { ttlSecondsAfterFinished: 5 }),
      );
      await world.endPod('revived-a', 1);
      const { status } = await world.untilState('revived', 'Failed');
      const endMs = Date.parse(status?.completionTime ?? '') + 5_000;
      await world.throughout(
        endMs - Date.now() - 2_000,
        'the flow waits for its end',
        () => world.flow('revived') !== undefined,
      );
      await world.patchFlow('revived', {
        metadata: { annotations: { 'millrace.dev/retry': '1' } },
      });
      await world.untilRunning('revived-a-r1');
      await world.throughout(5_000, 'the flow is there', () => world.flow('revived') !== undefined);
      await world.endPod('revived-a-r1');
      await world.untilState('revived', 'Succeed');
    },
  );

  it.concurrent(
    'records the results of Jobs that an admission policy of the cluster gives a TTL of 0 (rule 14)',
    async ({ expect }) => {
      const world = await suite.world('ttl-of-others');
      await world.kubectl(['apply', '-f', '-'], ttlForEveryJob(world.namespace));
      try {
        const trial = ['create', 'job', 'trial', '--image=busybox', '--dry-run=server'];
        const ttl = ['-o', 'jsonpath={.spec.ttlSecondsAfterFinished}'];
        const given = () => world.kubectl([...trial, ...ttl]);
        await expect.poll(given, { interval: 250 }).toBe('0');
        // Each one's TTL is removed while it runs.
        const runFor = '4s';
        await world.apply(
          flow('tidy', [step('a', { runFor }), step('b', { runFor, after: ['a'] })]),
        );
        await world.untilState('tidy', 'Succeed');
        await world.until('every child is removed', () => world.jobs().length === 0);
        expect(await world.namesEverCreated()).toEqual(['tidy-a', 'tidy-b']);
        expect(world.flow('tidy')?.status?.progress).toBe('2/2');
      } finally {
        const kinds = 'mutatingadmissionpolicies,mutatingadmissionpolicybindings';
        await world.kubectl(['delete', kinds, `ttl-in-${world.namespace}`]);
      }
    },
  );
});

function ttlForEveryJob(namespace: string): string {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const metadata = { name: `ttl-in-${namespace}` };
  const rule = { apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'] };
  const applyConfiguration = {
    expression: 'Object{spec: Object.spec{ttlSecondsAfterFinished: 0}}',
  };
  const policy = {
    apiVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata,
    spec: {
      reinvocationPolicy: 'Never',
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ ...rule, resources: ['jobs'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      },
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration }],
    },
  };
  const spec = { policyName: metadata.name };
  const binding = { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata, spec };
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [policy, binding] });
}
