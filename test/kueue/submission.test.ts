/**
 * Submissions to Kueue's queues, under the webhooks of flow-admission and suspend-admission. Kueue's own webhook for
 * Jobs is the reference.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { holds } from '#functions/kueue-workload-sync/workload.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { registerFlowAdmission } from '#test/support/admission-webhooks.ts';
import { flow, type FlowWorld, step } from '#test/support/flow-world.ts';
import { ApiRefusal, type Manifest } from '#test/support/flows/cluster-api.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { container, workloadsIn } from '#test/support/kueue/queued.ts';
import { clusterQueue, localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';
import { batchJob } from '#test/support/suspension/suspend-manifests.ts';
import { registerSuspendAdmission } from '#test/support/suspension/suspend-webhooks.ts';
import { untilAuthorized } from '#test/support/until-authorized.ts';

const key = (name: string) => `kueue.x-k8s.io/${name}`;
const queue = { [key('queue-name')]: 'main' };
const admitting = { [key('queue-name')]: 'admitting' };
const oneCpu = { pod: { containers: [container('1')] } };

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

describeKueue('what is submitted to Kueue', (suite) => {
  const { apply } = suite;
  beforeAll(() =>
    apply([
      resourceFlavor('default'),
      clusterQueue('roomy', { default: '8' }),
      clusterQueue('held', { default: '8' }, { stopPolicy: 'Hold' }),
    ]),
  );

  /** Runs under the webhooks, with these LocalQueues. The ClusterQueue "roomy" admits work, "held" does not. */
  const open = async (
    about: string,
    onFinished: (cleanUp: () => Promise<void>) => void,
    localQueues: Readonly<Record<string, 'roomy' | 'held'>> = {},
  ): Promise<FlowWorld> => {
    const world = await suite.world(about);
    const { kubectl, kubeconfigs } = suite.cluster;
    const { namespace } = world;
    const [flows, admissions] = await Promise.all([
      registerFlowAdmission({
        ...{ kubectl, namespace },
        kubeconfig: kubeconfigs['flow-admission'] ?? '',
      }),
      registerSuspendAdmission({
        ...{ kubectl, namespace },
        kubeconfig: kubeconfigs['suspend-admission'] ?? '',
      }),
    ]);
    onFinished(async () => {
      await Promise.all([flows.stop(), admissions.stop()]);
    });
    // The probes for the webhooks are not submitted to a queue.
    const queues = Object.keys(localQueues);
    const made = Object.entries(localQueues).map(([name, of]) => localQueue(name, of));
    if (made.length > 0) await apply(made, '-n', world.namespace);
    const { policies } = admissions;
    await vi.waitFor(() => {
      expect(queues.filter((name) => !policies.hasLocalQueue(world.namespace, name))).toEqual([]);
    });
    return world;
  };

  it('is put into the LocalQueue "default" where it names none, and runs when it is admitted', async ({
    onTestFinished,
  }) => {
    const world = await open('default', onTestFinished, { default: 'roomy' });
    const [stored] = await world.apply(flow('etl', [step('a', oneCpu)]));
    expect(stored?.metadata.labels).toMatchObject({ [key('queue-name')]: 'default' });
    expect(stored?.spec).toMatchObject({ suspend: true });
    await world.untilState('etl', 'Succeed');
    expect(await workloadsIn(world)).toMatchObject([{ spec: { queueName: 'default' } }]);
  });

  it('stays that of its submitter, and only Kueue says where it runs', async ({
    onTestFinished,
  }) => {
    const world = await open('whose', onTestFinished, { main: 'roomy' });
    const made = flow('etl', [step('a', { ...oneCpu, runFor: '1h' })]);
    await world.apply({ ...made, metadata: { ...made.metadata, labels: queue } });
    await world.until('it is resumed', () => world.flow('etl')?.spec.suspend === false);
    const { metadata, spec } = world.flow('etl')!;
    expect(spec.podSetInfos).toHaveLength(1);
    expect(metadata.annotations?.['millrace.dev/submitter']).toContain('"username":"admin"');

    const verbs = ['--verb=get,patch,update', '--resource=jobflows.api.practice.com'];
    await world.kubectl(['create', 'role', 'editor', ...verbs]);
    await world.kubectl(['create', 'rolebinding', 'bob', '--role=editor', '--user=bob']);
    const right = ['patch', 'jobflows.api.practice.com'] as const;
    const { namespace } = world;
    await untilAuthorized(suite.cluster.kubectl, { user: 'bob', namespace, right });
    const places = [{ name: 'a', tolerations: [{ operator: 'Exists' }] }];
    const patch = JSON.stringify({ spec: { podSetInfos: places } });
    const moved = ['patch', 'jobflow', 'etl', '--as=bob', '--type=merge', '-p', patch];
    await expect(world.kubectl(moved)).rejects.toThrow(
      /spec\.podSetInfos: it is what an admission of Kueue said, and bob may not patch workloads\.kueue\.x-k8s\.io\/status/,
    );
  });

  it('runs at once where there is no such queue', async ({ onTestFinished }) => {
    const world = await open('no-default', onTestFinished, { main: 'roomy' });
    await world.apply(flow('etl', [step('a', oneCpu)]));
    await world.untilState('etl', 'Succeed');
    expect(await workloadsIn(world)).toEqual([]);
  });

  it('may be the samples, which are admitted', async ({ onTestFinished }) => {
    const world = await open('samples', onTestFinished);
    const file = (name: string) => join(import.meta.dirname, '../../samples', name);
    for (const name of ['queues.yaml', 'queued-flow.yaml']) {
      await world.kubectl(['apply', '-f', file(name)]);
    }
    await vi.waitFor(async () => {
      const [workload] = await workloadsIn(world);
      expect(workload !== undefined && holds(workload, 'Admitted')).toBe(true);
      expect(workload?.spec.podSets.map(({ name }) => name)).toEqual(['extract', 'load']);
    });
    await world.until('it is resumed', () => world.flow('queued-flow')?.spec.suspend === false);
  });

  it('may be the steps of a flow, each admitted by itself as a Job', async ({ onTestFinished }) => {
    const world = await open('steps', onTestFinished, { main: 'roomy' });
    const two = [step('a', oneCpu), step('b', { ...oneCpu, after: ['a'] })];
    await world.apply(flow('etl', two, { globalParams: { labels: queue } }));
    await world.untilState('etl', 'Succeed');
    const workloads = await workloadsIn(world);
    const owners = workloads.map(({ metadata }) => metadata.ownerReferences?.[0]);
    expect(owners.map((owner) => `${owner?.kind} ${owner?.name}`).toSorted()).toEqual([
      ...['Job etl-a', 'Job etl-b'],
    ]);
    expect(workloads.every((each) => holds(each, 'Admitted'))).toBe(true);
  });

  describe('is refused with the words that Kueue has for Jobs', () => {
    let world: FlowWorld;
    const stops: (() => Promise<void>)[] = [];
    beforeAll(async () => {
      world = await open('words', (stop) => stops.push(stop), {
        ...{ main: 'held', default: 'held' },
        ...{ admitting: 'roomy' },
      });
      return async () => {
        for (const stop of stops) await stop();
      };
    });

    /** The refusals of a Job and of a flow. Undefined: accepted. */
    async function refusals(act: (manifest: Manifest) => Promise<unknown>, metadata: Metadata) {
      const name = `x${Math.random().toString(36).slice(2, 8)}`;
      // A change of ended work is allowed, so both run until the test ends.
      const made = flow(name, [step('a', { ...oneCpu, runFor: '1h' })], { suspend: true });
      const job = batchJob(name, {});
      const manifests: readonly Manifest[] = [
        { ...job, metadata: { ...job.metadata, ...metadata } },
        { ...made, metadata: { ...made.metadata, ...metadata } },
      ];
      return await Promise.all(
        manifests.map((manifest) => act(manifest).then(() => undefined, wordsOf)),
      );
    }

    it.each<[string, Metadata]>([
      ['a queue name that is none', { labels: { [key('queue-name')]: 'no_queue' } }],
      ['no time', { labels: { ...queue, [key('max-exec-time-seconds')]: '0' } }],
      ['a time that is no number', { labels: { ...queue, [key('max-exec-time-seconds')]: '5s' } }],
      [
        'a gate without a name',
        { labels: queue, annotations: { [key('admission-gated-by')]: ',' } },
      ],
      [
        'a gate twice',
        { labels: queue, annotations: { [key('admission-gated-by')]: 'a.io/b,a.io/b' } },
      ],
      [
        'a gate of no domain',
        { labels: queue, annotations: { [key('admission-gated-by')]: 'gate' } },
      ],
    ])('when it is created with %s', async (_, metadata) => {
      const create = (manifest: Manifest) => world.api.create(world.namespace, manifest);
      const [ofJob, ofFlow] = await refusals(create, metadata);
      expect(ofJob).toBeDefined();
      expect(ofFlow).toBe(ofJob);
    });

    const high = { [key('priority-class')]: 'high' };
    const gated = { [key('admission-gated-by')]: 'a.io/b' };
    it.each<[string, Metadata, JsonObject]>([
      [
        'moved into another queue and resumed',
        { labels: queue },
        { metadata: { labels: { [key('queue-name')]: 'other' } }, spec: { suspend: false } },
      ],
      [
        'taken out of its queue beside a default queue',
        { labels: queue },
        { metadata: { labels: { [key('queue-name')]: null } } },
      ],
      [
        'given a priority and resumed',
        { labels: queue },
        { metadata: { labels: high }, spec: { suspend: false } },
      ],
      [
        'bereft of its priority',
        { labels: { ...queue, ...high } },
        { metadata: { labels: { [key('priority-class')]: null } } },
      ],
      [
        'given a time and resumed',
        { labels: queue },
        { metadata: { labels: { [key('max-exec-time-seconds')]: '5' } }, spec: { suspend: false } },
      ],
      ['given a gate', { labels: queue }, { metadata: { annotations: gated } }],
      [
        'given another gate',
        { labels: queue, annotations: gated },
        { metadata: { annotations: { [key('admission-gated-by')]: 'a.io/b,c.io/d' } } },
      ],
    ])('when it is %s', async (_, metadata, patch) => {
      const change = async (manifest: Manifest) => {
        await world.api.create(world.namespace, manifest);
        await world.patch(manifest.kind as 'Job' | 'JobFlow', manifest.metadata.name, patch);
      };
      const [ofJob, ofFlow] = await refusals(change, metadata);
      expect(ofJob).toBeDefined();
      expect(ofFlow).toBe(ofJob);
    });

    it.each<[string, Metadata, JsonObject]>([
      [
        'moved into another queue',
        { labels: admitting },
        { metadata: { labels: { [key('queue-name')]: 'main' } } },
      ],
      [
        'taken out of its queue beside a default queue',
        { labels: admitting },
        { metadata: { labels: { [key('queue-name')]: null } } },
      ],
      ['given a priority', { labels: admitting }, { metadata: { labels: high } }],
      [
        'given another time',
        { labels: admitting },
        { metadata: { labels: { [key('max-exec-time-seconds')]: '5' } } },
      ],
    ])('when it runs and is %s', async (_, metadata, patch) => {
      const change = async (manifest: Manifest) => {
        const kind = manifest.kind as 'Job' | 'JobFlow';
        const { name } = manifest.metadata;
        await world.api.create(world.namespace, manifest);
        await vi.waitFor(async () => {
          const stored = await world.api.get(kind, { namespace: world.namespace, name });
          expect(stored).toMatchObject({ spec: { suspend: false } });
        });
        await world.patch(kind, name, patch);
      };
      const [ofJob, ofFlow] = await refusals(change, metadata);
      expect(ofJob).toBeDefined();
      expect(ofFlow).toBe(ofJob);
    });
  });
});

/** Removes the name of the webhook. */
function wordsOf(error: unknown): string {
  if (!(error instanceof ApiRefusal)) throw error;
  return error.message.replace(/^admission webhook "[^"]*" /, '');
}
