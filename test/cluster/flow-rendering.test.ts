import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import {
  flow,
  jobTemplate,
  malformedFlow,
  step,
  untilEnded,
  work,
} from '#test/support/flow-world.ts';

/** As in the original's example. */
const globalParams = {
  env: [
    { name: 'FOO', value: 'bar' },
    { name: 'QUE', value: 'pasa' },
  ],
  labels: { key1: 'value1', key2: 'value2' },
  annotations: { key1: 'value1', key2: 'value2' },
};

describeFlows('what becomes of a step', (suite) => {
  it.concurrent(
    'puts globalParams on every Job and Pod, env first in every container (scenario 5, rule 7)',
    async () => {
      const world = await suite.world('global-params');
      const containers = [
        { name: 'main', image: 'busybox:1.28', env: [{ name: 'OWN', value: '$(FOO)' }] },
        { name: 'side', image: 'busybox:1.28' },
      ];
      const initContainers = [{ name: 'before', image: 'busybox:1.28' }];
      await world.apply(
        flow('params', [step('a', { pod: { containers, initContainers } }), step('b')], {
          globalParams,
        }),
      );
      await world.untilState('params', 'Succeed');

      expect(world.jobs()).toHaveLength(2);
      expect(world.pods()).toHaveLength(2);
      for (const { metadata } of [...world.jobs(), ...world.pods()]) {
        expect(metadata.labels).toMatchObject(globalParams.labels);
        expect(metadata.annotations).toMatchObject(globalParams.annotations);
      }
      const { containers: ran, initContainers: ranBefore } = world.pods('params-a')[0]!.spec;
      expect(ran.map(({ env }) => env)).toEqual([
        [...globalParams.env, { name: 'OWN', value: '$(FOO)' }],
        globalParams.env,
      ]);
      expect(ranBefore?.map(({ env }) => env)).toEqual([globalParams.env]);
    },
  );

  it.concurrent(
    "lets a step's own value win, without a second entry (scenario 6, rule 7)",
    async () => {
      const world = await suite.world('own-wins');
      const env = [{ name: 'FOO', value: 'own' }];
      await world.apply(
        flow(
          'own',
          [
            step('a', {
              pod: { containers: [{ name: 'main', image: 'busybox:1.28', env }] },
              podMetadata: { labels: { key1: 'own' }, annotations: { key2: 'own' } },
            }),
          ],
          { globalParams },
        ),
      );
      await world.untilState('own', 'Succeed');

      const pod = world.pods('own-a')[0]!;
      const entries = pod.spec.containers[0]?.env?.filter(({ name }) => name === 'FOO');
      expect(entries).toEqual(env);
      expect(pod.metadata.labels).toMatchObject({ key1: 'own', key2: 'value2' });
      expect(pod.metadata.annotations).toMatchObject({ key1: 'value1', key2: 'own' });
    },
  );

  it.concurrent('refuses reserved keys in globalParams (scenario 6, rule 5)', async () => {
    const world = await suite.world('reserved');
    for (const field of ['labels', 'annotations']) {
      const refusal = await world.refusalOf(
        malformedFlow('reserved', {
          globalParams: { [field]: { 'millrace.dev/owner-uid': 'x' } },
          flows: [{ name: 'a', jobTemplate: work() }],
        }),
      );
      expect(refusal.code).toBe(422);
      expect(refusal.message).toContain(`spec.globalParams.${field}`);
    }
  });

  it.concurrent(
    'refuses reserved keys in a template of a step and in a JobTemplate (rule 5, kruise)',
    async () => {
      const world = await suite.world('reserved-template');
      const stolen = { podMetadata: { labels: { 'millrace.dev/owner-uid': 'somebody-else' } } };
      for (const object of [flow('mine', [step('a', stolen)]), jobTemplate('mine', stolen)]) {
        const refusal = await world.refusalOf(object);
        expect(refusal.code).toBe(422);
        expect(refusal.message).toContain('keys that start with millrace.dev/ are reserved');
      }
    },
  );

  it.concurrent(
    'sets restartPolicy Never, whatever the template says (scenario 10, rule 2)',
    async () => {
      const world = await suite.world('restart-policy');
      await world.apply(
        flow('restart', [
          step('on-failure', { pod: { restartPolicy: 'OnFailure' } }),
          step('always', { pod: { restartPolicy: 'Always' } }),
          step('unset'),
        ]),
      );
      await world.untilState('restart', 'Succeed');
      const policies = world.pods().map(({ spec }) => spec.restartPolicy);
      expect(policies).toEqual(['Never', 'Never', 'Never']);
    },
  );

  it.concurrent('gives a step backoffLimit 0 unless its template has one (rule 2)', async () => {
    const world = await suite.world('backoff-limit');
    await world.apply(
      flow('limits', [
        step('unset'),
        step('two', { job: { backoffLimit: 2 }, runFor: untilEnded }),
      ]),
    );
    await world.untilRunning('limits-two');
    expect(world.job('limits-unset')?.spec.backoffLimit).toBe(0);
    await world.endPod('limits-two', 1);
    // The second Pod of the same Job: the Job controller retries, the step does not.
    await world.until('a second Pod runs', () => world.pods('limits-two').length === 2);
    await world.endPod('limits-two');
    const { status } = await world.untilState('limits', 'Succeed');
    expect(status?.jobStatusList?.map(({ attempt }) => attempt ?? 0)).toEqual([0, 0]);
  });

  it.concurrent(
    'owns its Jobs as controller and labels Job and Pod with flow, step and attempt (rules 5 and 6)',
    async () => {
      const world = await suite.world('owner');
      await world.apply(flow('owner', [step('a')]));
      await world.untilState('owner', 'Succeed');
      const uid = world.uidOf('owner');
      const job = world.job('owner-a')!;
      expect(job.metadata.ownerReferences).toEqual([
        {
          apiVersion: 'api.practice.com/v1alpha1',
          kind: 'JobFlow',
          name: 'owner',
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      const labels = {
        'millrace.dev/flow': 'owner',
        'millrace.dev/owner-uid': uid,
        'millrace.dev/step': 'a',
        'millrace.dev/attempt': '0',
      };
      expect(job.metadata.labels).toMatchObject(labels);
      expect(world.pods('owner-a')[0]?.metadata.labels).toMatchObject(labels);
    },
  );
});
