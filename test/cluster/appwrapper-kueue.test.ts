/** The walk-through of AppWrappers: in a queue of a real Kueue, running when it is admitted, and Succeeded. */
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { defaultWrapperSettings } from '#functions/appwrapper-admission/wrapper-settings.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { container, queued, workloadOf } from '#test/support/kueue/queued.ts';
import { clusterQueue, localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';
import { ObjectHistory } from '#test/support/flows/object-history.ts';
import { registerSuspendAdmission } from '#test/support/suspension/suspend-webhooks.ts';
import { registerWrapperAdmission } from '#test/support/wrapper-webhooks.ts';
import { appWrapper, statusOf, wrappedPod } from '#test/support/wrappers/wrapper-manifests.ts';
import { untilWrapperIs, untilWrapperIsGone } from '#test/support/wrappers/wrapper-waits.ts';

const samples = join(import.meta.dirname, '../../samples');

describeKueue('an AppWrapper in a queue of Kueue', (suite) => {
  const { apply } = suite;
  beforeAll(async () => {
    await apply([resourceFlavor('default'), clusterQueue('narrow', { default: '1' })]);
  });

  it('runs when it is admitted, and gives its quota to the next one', async () => {
    const world = await suite.world('walk');
    await apply([localQueue('user-queue', 'narrow')], '-n', world.namespace);
    const wrapped = (name: string) => wrappedPod(name, { pod: { containers: [container('1')] } });
    const both = ['first', 'second'].map((name) =>
      queued(appWrapper(name, [wrapped(name)]), 'user-queue'),
    );
    await world.apply(...both);
    for (const name of ['first', 'second']) await untilWrapperIs(world, name, 'Succeeded');
  });

  it('walks through the page on samples/appwrapper.yaml: Running, then Succeeded', async () => {
    const world = await suite.world('sample');
    const { kubectl, kubeconfigs } = suite.cluster;
    const admissions = await Promise.all([
      registerWrapperAdmission({
        ...{ kubectl, namespace: world.namespace, wrappers: defaultWrapperSettings },
        kubeconfig: kubeconfigs['appwrapper-admission'] ?? '',
      }),
      registerSuspendAdmission({
        ...{ kubectl, namespace: world.namespace },
        kubeconfig: kubeconfigs['suspend-admission'] ?? '',
      }),
    ]);
    onTestFinished(async () => {
      await Promise.all(admissions.map((each) => each.stop()));
    });
    const history = await ObjectHistory.open(suite.api(), 'AppWrapper');
    onTestFinished(() => history.close());
    await world.kubectl(['apply', '-f', join(samples, 'queues.yaml')]);
    const file = join(samples, 'appwrapper.yaml');
    /** So many of its columns. */
    const printed = async (columns: number, kind: string) => {
      const lines = (await world.kubectl(['get', kind])).trim().split('\n');
      return lines.map((line) => line.split(/ +/).slice(0, columns));
    };

    await world.kubectl(['apply', '-f', file]);
    await untilWrapperIs(world, 'sample', 'Succeeded');
    expect(await printed(2, 'appwrappers')).toEqual([
      ['NAME', 'STATUS'],
      ['sample', 'Succeeded'],
    ]);
    expect(await printed(3, 'pods')).toEqual([
      ['NAME', 'READY', 'STATUS'],
      ['sample', '0/1', 'Completed'],
    ]);
    const seen = history
      .sightings(world.namespace)
      .flatMap(({ object }) => statusOf(object).phase ?? []);
    expect(seen.filter((phase, at) => phase !== seen[at - 1])).toEqual([
      ...['Suspended', 'Resuming', 'Running', 'Succeeded'],
    ]);
    expect(history.sightings(world.namespace)[0]?.object.spec).toMatchObject({ suspend: true });
    const { status } = (await workloadOf(world, 'sample')) ?? {};
    const held = status?.conditions?.filter((each) => each.status === 'True') ?? [];
    expect(held.map(({ type }) => type)).toContain('Finished');

    await world.kubectl(['delete', '-f', file]);
    await untilWrapperIsGone(world, 'sample');
    expect(await world.kubectl(['get', 'pods', '-o', 'name'])).toBe('');
  });
});
