/** Writes of a cluster's user, careless or malicious, to the real API server. */
import { expect, it } from 'vitest';
import type { ApiRefusal } from '#test/support/flows/cluster-api.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import {
  flow,
  type FlowWorld,
  has,
  malformedFlow,
  step,
  untilEnded,
  work,
} from '#test/support/flow-world.ts';

describeFlows('attacks by what is applied', (suite) => {
  it.concurrent('#01 creates no Job for a cycle, and names its path', async () => {
    const world = await suite.world('attack-01');
    const self = await world.refusalOf(flow('self', [step('a', { after: ['a'] })]));
    expect(self.code).toBe(422);
    await world.apply(flow('circle', [step('a', { after: ['b'] }), step('b', { after: ['a'] })]));
    const { status } = await world.untilState('circle', 'Failed');
    expect(status?.message).toContain('a -> b -> a');
    expect(await world.namesEverCreated()).toEqual([]);
  });

  it.concurrent('#02 refuses 100,000 steps and a step with 100,000 dependencies', async () => {
    const world = await suite.world('attack-02');
    const tiny = { template: { spec: { containers: [{ name: 'm', image: 'i' }] } } };
    const names = Array.from({ length: 100_000 }, (_, index) => `s${index}`);
    const many = malformedFlow('many', {
      flows: names.slice(0, 6_000).map((name) => ({ name, jobTemplate: tiny })),
    });
    const wide = malformedFlow('wide', {
      flows: [{ name: 'a', jobTemplate: tiny, dependencies: names }],
    });
    for (const object of [many, wide]) {
      expect([413, 422]).toContain((await world.refusalOf(object)).code);
    }
    await expect(
      suite.api().create(world.namespace, {
        ...many,
        spec: { flows: names.map((name) => ({ name, jobTemplate: tiny })) },
      }),
    ).rejects.toMatchObject({ code: 413 });
  });

  it.concurrent('#03 refuses step names that repeat or only look alike', async () => {
    const world = await suite.world('attack-03');
    const twice = malformedFlow('twice', {
      flows: [
        { name: 'same', jobTemplate: work() },
        { name: 'same', jobTemplate: work() },
      ],
    });
    await expect(suite.api().create(world.namespace, twice)).rejects.toMatchObject({ code: 422 });
    for (const name of ['Same', 'sаme', 'ѕame', 'same\u200b', 'same ', 'sa\u202eme', 'ſame']) {
      expect((await world.refusalOf(flow('alike', [step(name)]))).code).toBe(422);
    }
  });

  it.concurrent('#04 waits for a JobTemplate that is missing, and says for which', async () => {
    const world = await suite.world('attack-04');
    const unknown = await world.refusalOf(flow('unknown', [step('a', { after: ['nowhere'] })]));
    expect(unknown.code).toBe(422);
    await world.apply(flow('patient', [step('a', { ref: 'later' })]));
    const { message } = await world.untilStep('patient', 'a', 'Blocked');
    expect(message).toContain('later');
    await world.apply({
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobTemplate',
      metadata: { name: 'later' },
      spec: { jobTemplate: work() },
    });
    await world.untilState('patient', 'Succeed');
  });

  it.concurrent('#05 refuses names that would make a child longer than 63', async () => {
    const world = await suite.world('attack-05');
    const refusal = await world.refusalOf(flow('f'.repeat(40), [step('s'.repeat(40))]));
    expect(refusal).toMatchObject({ code: 422, message: expect.stringContaining('63') as string });
    await world.apply(flow('f'.repeat(29), [step('s'.repeat(29))]));
    await world.untilState('f'.repeat(29), 'Succeed');
  });

  it.concurrent('#06 keeps flows apart whose names concatenate to one Job name', async () => {
    const world = await suite.world('attack-06');
    await world.apply(flow('a-b', [step('c', { runFor: untilEnded })]));
    await world.untilStep('a-b', 'c', 'Running');
    await world.apply(flow('a', [step('b-c'), step('free')]));
    const blocked = await world.untilStep('a', 'b-c', 'Blocked');
    expect(blocked.reason).toBe('NameConflict');
    await world.untilStep('a', 'free', 'Succeed');
    expect(world.job('a-b-c')?.metadata.ownerReferences?.[0]?.uid).toBe(world.uidOf('a-b'));
  });

  it.concurrent('#07 does not believe a foreign Job under its own name', async () => {
    const world = await suite.world('attack-07');
    await world.api.create(world.namespace, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'mine-a' },
      spec: { template: { spec: { ...work().template.spec, restartPolicy: 'Never' } } },
    });
    await world.apply(flow('mine', [step('a'), step('b', { after: ['a'] })]));
    expect((await world.untilStep('mine', 'a', 'Blocked')).reason).toBe('NameConflict');
    expect(world.job('mine-a')?.metadata.ownerReferences).toBeUndefined();
    expect(world.job('mine-b')).toBeUndefined();
  });

  it.concurrent('#08 counts a child by its owner, whatever its labels say', async () => {
    const world = await suite.world('attack-08');
    await world.apply(
      flow('victim', [step('a', { runFor: untilEnded }), step('b', { after: ['a'] })]),
      flow('thief', [step('a', { runFor: '200ms' })]),
    );
    await world.untilRunning('victim-a');
    await world.until('the step is reported as running', () => {
      return world.step('victim', 'a')?.state === 'Running';
    });
    await world.untilState('thief', 'Succeed');
    const victim = world.job('victim-a')!;
    const owners = victim.metadata.ownerReferences;
    const labels = { ...victim.metadata.labels };
    await world.patch('Job', 'thief-a', { metadata: { labels } });
    await world.patch('Job', 'thief-a', { metadata: { ownerReferences: owners } });
    await world.throughout(3_000, 'the victim waits for its own Job', () => {
      return world.step('victim', 'a')?.state === 'Running' && world.job('victim-b') === undefined;
    });
  });

  it.concurrent('#10 gives every child one owner, its flow', async () => {
    const world = await suite.world('attack-10');
    const foreign = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system', uid: 'x' };
    const podMetadata = { ownerReferences: [{ ...foreign, controller: true }] };
    const object = flow('owned', [step('a', { podMetadata, runFor: untilEnded })]);
    if (!(await isRefused(world, object))) {
      const pod = await world.untilRunning('owned-a');
      expect(pod.metadata.ownerReferences?.map(({ kind }) => kind)).toEqual(['Job']);
      const owners = world.job('owned-a')?.metadata.ownerReferences;
      expect(owners?.map(({ uid }) => uid)).toEqual([world.uidOf('owned')]);
    }
  });

  it.concurrent('#11 creates nothing in another namespace', async () => {
    const world = await suite.world('attack-11');
    const podMetadata = { namespace: 'kube-system', name: 'other' };
    const object = flow('homely', [step('a', { podMetadata, runFor: untilEnded })]);
    if (!(await isRefused(world, object))) await world.untilRunning('homely-a');
    const elsewhere = await world.api.list('Job', 'kube-system');
    expect(elsewhere.items.map(({ metadata }) => metadata.name)).not.toContain('homely-a');
    const crossing = await world.refusalOf(flow('crossing', [step('a', { ref: 'kube-system/t' })]));
    expect(crossing.code).toBe(422);
  });

  it.concurrent(
    '#12 hurries nothing when Pod Security refuses the Pod, and reports it',
    async () => {
      const world = await suite.world('attack-12');
      const enforce = { 'pod-security.kubernetes.io/enforce': 'restricted' };
      const namespace = { name: world.namespace, namespace: '' };
      await suite.api().patch('Namespace', namespace, { metadata: { labels: enforce } });
      const pod = { containers: [{ name: 'main', image: 'busybox' }], hostPID: true };
      await world.apply(flow('mighty', [step('a', { pod })]));
      await world.until('the status says that no Pod can be created', () => {
        const { reason, message = '' } = world.step('mighty', 'a') ?? {};
        return reason === 'FailedCreate' && message.includes('violates PodSecurity');
      });
      expect(world.pods()).toEqual([]);
      const before = (await world.requests({ userAgent: /millrace/ })).length;
      await world.throughout(5_000, 'it stays so', () => world.pods().length === 0);
      const after = (await world.requests({ userAgent: /millrace/ })).length;
      expect(after - before).toBeLessThan(10);
    },
  );

  it.concurrent('#24 takes or refuses objects at the limit and serves the others', async () => {
    const world = await suite.world('attack-24');
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`l/n${n}`, 'x']));
    const annotations = { note: 'x'.repeat(250 * 1024) };
    const pod = { containers: [{ name: 'main', image: 'i', args: ['x'.repeat(1_300_000)] }] };
    const large = [
      { ...flow('labelled', [step('a')]), metadata: { name: 'labelled', labels } },
      { ...flow('annotated', [step('a')]), metadata: { name: 'annotated', annotations } },
      flow('heavy', [step('a', { pod })]),
    ];
    for (const object of large) {
      if (await isRefused(world, object)) continue;
      const { name } = object.metadata;
      await world.until(`${name} ends or says why not`, () => {
        const { state, message } = world.flow(name)?.status ?? {};
        return state === 'Succeed' || (message !== undefined && message !== '');
      });
    }
    await world.apply(flow('ordinary', [step('a')]));
    await world.untilState('ordinary', 'Succeed');
  });

  it.concurrent('#33 serves the others while one object is malformed', async () => {
    const world = await suite.world('attack-33');
    await world.apply(flow('odd', [step('a', { runFor: untilEnded })]), flow('even', [step('a')]));
    await world.untilRunning('odd-a');
    const nonsense = {
      'millrace.dev/ttl-seconds-after-finished': 'NaN; DROP',
      'millrace.dev/template-hash': '\u0000\u001b[2J'.slice(1),
      'millrace.dev/suspended-by': '{"$content":"x"}',
    };
    await world.patch('Job', 'odd-a', {
      metadata: { annotations: nonsense, labels: { 'millrace.dev/attempt': 'e9' } },
    });
    await world.patchFlow('odd', { metadata: { annotations: { 'millrace.dev/retry': '' } } });
    await world.untilState('even', 'Succeed');
    await world.apply(flow('later', [step('a'), step('b', { after: ['a'] })]));
    await world.untilState('later', 'Succeed');
    await world.endPod('odd-a');
    await world.untilState('odd', 'Succeed');
    // The end is judged by the attempt in the label.
    await world.patch('Job', 'odd-a', { metadata: { labels: { 'millrace.dev/attempt': '0' } } });
  });

  it.concurrent('#30 takes parameter values as values, whatever they look like', async () => {
    const world = await suite.world('attack-30');
    const values = ['"}],"x":[{', '$(cmd)', 'a\nb', '\u001b[2J\u202e', '{{ .x }}', '${PATH}'];
    const env = values.map((value, index) => ({ name: `V${index}`, value }));
    await world.apply(
      flow('literal', [step('a', { runFor: untilEnded })], { globalParams: { env } }),
    );
    const job = await world.untilJob('literal-a', 'exists', () => true);
    expect(job.spec.template.spec.containers[0]?.env).toEqual(env);
  });

  it.concurrent('#47 does nothing on a dry run', async () => {
    const world = await suite.world('attack-47');
    const manifest = JSON.stringify(flow('rehearsed', [step('a')]));
    await world.kubectl(['apply', '--dry-run=server', '-f', '-'], manifest);
    await world.apply(flow('kept', [step('a', { runFor: untilEnded })]));
    await world.untilRunning('kept-a');
    await world.kubectl(['delete', '--dry-run=server', 'jobflow', 'kept']);
    await world.throughout(2_000, 'nothing changes', () => {
      return world.flow('rehearsed') === undefined && !has(world.job('kept-a'), 'Complete');
    });
    expect(await world.namesEverCreated()).toEqual(['kept-a']);
    const recorded = JSON.stringify(await suite.decisions());
    expect(recorded).not.toContain('rehearsed');
  });
});

/** True: the API server refused it with an error of the user's. */
async function isRefused(
  world: FlowWorld,
  object: ReturnType<typeof malformedFlow>,
): Promise<boolean> {
  try {
    await world.apply(object);
    return false;
  } catch (error) {
    expect((error as ApiRefusal).code).toSatisfy((code: number) => code < 500);
    return true;
  }
}
