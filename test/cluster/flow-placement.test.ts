import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, step } from '#test/support/flow-world.ts';

describeFlows('where a step runs, and with which volumes', (suite) => {
  it.concurrent(
    'binds every Pod to globalParams.nodeName by affinity, through the scheduler (scenario 7, rule 7)',
    async () => {
      const world = await suite.world('node-name');
      await world.apply(
        flow('bound', [step('a'), step('b'), step('c', { after: ['a'] })], {
          globalParams: { nodeName: 'minikube' },
        }),
      );
      await world.untilState('bound', 'Succeed');

      expect(world.pods().map(({ spec }) => spec.nodeName)).toEqual(Array(3).fill('minikube'));
      for (const job of world.jobs()) {
        expect(job.spec.template.spec.nodeName).toBeUndefined();
        expect(job.spec.template.spec.affinity).toMatchObject({
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['minikube'] }] },
              ],
            },
          },
        });
      }
    },
  );

  it.concurrent('writes spec.nodeName only for nodeBinding: Direct (rule 7)', async () => {
    const world = await suite.world('direct-binding');
    await world.apply(
      flow('direct', [step('a')], {
        globalParams: { nodeName: 'minikube', nodeBinding: 'Direct' },
      }),
    );
    await world.untilState('direct', 'Succeed');
    expect(world.job('direct-a')?.spec.template.spec.nodeName).toBe('minikube');
  });

  it.concurrent(
    'leaves a Pod pending for a full node instead of failing its Job (scenario 8, kubernetes#89007)',
    async () => {
      const world = await suite.world('full-node');
      const resources = { requests: { cpu: '100' } };
      const containers = [{ name: 'main', image: 'busybox:1.28', resources }];
      await world.apply(
        flow('full', [step('a', { pod: { containers } })], {
          globalParams: { nodeName: 'minikube' },
        }),
      );
      await world.untilState('full', 'Running');
      await world.until('the Pod is there', () => world.pods('full-a')[0]);
      await world.throughout(3_000, 'the flow runs, its Pod is pending', () => {
        const pods = world.pods('full-a');
        const pending = pods.length === 1 && pods[0]?.status?.phase === 'Pending';
        return pending && world.flow('full')?.status?.state === 'Running';
      });
      expect(world.job('full-a')?.status?.failed ?? 0).toBe(0);
    },
  );

  it.concurrent(
    "starts the reader of a shared volume after the writer's Pod is over (scenario 9, rule 8, kubernetes#123775)",
    async () => {
      const world = await suite.world('shared-volume');
      const ofAll = { name: 'data', hostPath: { path: '/tmp/shared', type: '' } };
      const ofReader = { name: 'notes', emptyDir: {} };
      await world.apply(
        flow(
          'shared',
          [
            step('writer', { runFor: '300ms' }),
            step('reader', {
              after: ['writer'],
              shareVolumes: [ofReader],
              shareVolumeMounts: [{ name: 'notes', mountPath: '/notes' }],
            }),
          ],
          {
            shareVolumes: [ofAll],
            shareVolumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ),
      );
      await world.untilState('shared', 'Succeed');

      const [writer, reader] = [world.pods('shared-writer')[0]!, world.pods('shared-reader')[0]!];
      expect(writer.spec.volumes).toContainEqual(ofAll);
      expect(writer.spec.volumes).not.toContainEqual(ofReader);
      expect(reader.spec.volumes).toEqual(expect.arrayContaining([ofAll, ofReader]));
      expect(reader.spec.containers[0]?.volumeMounts).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'data', mountPath: '/data' }),
          expect.objectContaining({ name: 'notes', mountPath: '/notes' }),
        ]),
      );

      const sightings = world.podSightings();
      const writerEnded = sightings.findIndex(
        ({ object }) =>
          object.metadata.uid === writer.metadata.uid && object.status?.phase === 'Succeeded',
      );
      const readerCreated = sightings.findIndex(
        ({ object }) => object.metadata.uid === reader.metadata.uid,
      );
      expect(writerEnded).toBeGreaterThanOrEqual(0);
      expect(readerCreated).toBeGreaterThan(writerEnded);
    },
  );
});
