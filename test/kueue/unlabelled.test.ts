/** If Kueue also manages work without a queue (manageJobsWithoutQueueName), nothing runs before it is in one. */
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import type { Workload } from '#functions/kueue-workload-sync/workload.ts';
import { defaultKueueSettings } from '#shared/kueue/kueue-settings.ts';
import { type FlowWorld, flow, step, untilEnded, work } from '#test/support/flow-world.ts';
import type { JobObject, PodObject } from '#test/support/flows/batch-objects.ts';
import type { Manifest } from '#test/support/flows/cluster-api.ts';
import { ObjectHistory } from '#test/support/flows/object-history.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { container, queued, workloadsIn } from '#test/support/kueue/queued.ts';
import { clusterQueue, localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { registerSuspendAdmission } from '#test/support/suspension/suspend-webhooks.ts';
import { type PlayedKind, playedKinds } from '#test/support/wrappers/played-kinds.ts';
import {
  installPlayedKinds,
  nameOf,
  partOf,
  playOperator,
} from '#test/support/wrappers/played-operators.ts';
import { appWrapper, wrappedJob } from '#test/support/wrappers/wrapper-manifests.ts';
import { untilWrapperIs } from '#test/support/wrappers/wrapper-waits.ts';

const pod = { restartPolicy: 'Never', containers: [container('1')] } as const;
const long = { pod, runFor: untilEnded };
const labels = { app: 'served' };
const { template } = work({ runFor: untilEnded, pod: { containers: [container('1')] } });
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'served' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { ...template, metadata: { ...template.metadata, labels } },
  },
};
const jobSet = playedKinds.find(({ resource }) => resource.kind === 'JobSet')!;
const ofMain = { labels: { 'kueue.x-k8s.io/queue-name': 'main' } };
const labelledJobSet: PlayedKind = {
  ...jobSet,
  metadata: ofMain,
  spec: {
    replicatedJobs: ['workers', 'driver'].map((name, index) => ({
      name,
      replicas: 2 - index,
      template: { metadata: ofMain, spec: { backoffLimit: 0, ...work(long) } },
    })),
  },
};
const namespaces = {
  matchExpressions: [
    ...(defaultKueueSettings.namespaces.matchExpressions ?? []),
    { key: 'queues', operator: 'NotIn' as const, values: ['never'] },
  ],
};

describeKueue(
  'what names no queue',
  (suite) => {
    const { apply } = suite;
    beforeAll(async () => {
      await apply([resourceFlavor('default'), clusterQueue('roomy', { default: '8' })]);
      await installPlayedKinds(suite.cluster.kubectl);
    });

    const open = async (
      about: string,
      onFinished: (cleanUp: () => Promise<void>) => void,
      queues = 'always',
    ): Promise<FlowWorld> => {
      const world = await suite.world(about);
      await apply([localQueue('main', 'roomy')], '-n', world.namespace);
      const admissions = await registerSuspendAdmission({
        kubectl: suite.cluster.kubectl,
        kubeconfig: suite.cluster.kubeconfigs['suspend-admission'] ?? '',
        namespace: world.namespace,
        kueue: { ...defaultKueueSettings, managesUnlabelled: true, namespaces },
      });
      onFinished(() => admissions.stop());
      // The probes for the webhooks are in a namespace that Kueue manages.
      await world.kubectl(['label', 'namespace', world.namespace, `queues=${queues}`]);
      await vi.waitFor(() =>
        expect(admissions.policies.labelsOf(world.namespace)).toMatchObject({ queues }),
      );
      return world;
    };
    const toMain = ({ kind }: Manifest) => ['label', kind, 'w', 'kueue.x-k8s.io/queue-name=main'];
    const phaseOf = ({ status }: PodObject) => status?.phase;
    const ownerOf = ({ metadata }: Workload) => metadata.ownerReferences?.[0]?.kind;

    it.each([
      ['an AppWrapper', appWrapper('w', [wrappedJob('a', long)])],
      ['a flow', flow('w', [step('a', long)])],
    ])('is suspended until it has one, and its Job never is: %s', async (_, manifest) => {
      const world = await open(`late-${manifest.kind.toLowerCase()}`, onTestFinished);
      const jobs = await ObjectHistory.open<JobObject>(suite.api(), 'Job');
      onTestFinished(() => jobs.close());
      const [stored] = await world.apply(manifest);
      expect(stored?.spec).toMatchObject({ suspend: true });
      await world.kubectl(toMain(manifest));
      await vi.waitFor(() => expect(world.pods().map(phaseOf)).toEqual(['Running']));
      const owners = (await workloadsIn(world)).map(ownerOf);
      expect(owners).toEqual([manifest.kind]);
      const seen = jobs.sightings(world.namespace).map(({ object }) => object.spec.suspend);
      expect(seen.filter((suspended) => suspended === true)).toEqual([]);
    });

    it('has no Deployment before its admission, and one Workload', async () => {
      const world = await open('deployment', onTestFinished);
      const wrapper = appWrapper('w', [deployment]);
      await world.apply(wrapper);
      await untilWrapperIs(world, 'w', 'Suspended');
      expect(await world.kubectl(['get', 'deployments', '-o', 'name'])).toBe('');
      await world.kubectl(toMain(wrapper));
      await vi.waitFor(() => expect(world.pods().map(phaseOf)).toEqual(['Running', 'Running']));
      expect((await workloadsIn(world)).map(ownerOf)).toEqual(['AppWrapper']);
    });

    it.each([
      ['name no queue', jobSet],
      ['name one', labelledJobSet],
    ])(
      'has one Workload, and Jobs that never wait, where those of its JobSet %s',
      async (_, set) => {
        const world = await open(`jobset-${set === jobSet ? 'plain' : 'labelled'}`, onTestFinished);
        const jobs = await ObjectHistory.open<JobObject>(suite.api(), 'Job');
        onTestFinished(() => jobs.close());
        const wrapper = appWrapper('w', [partOf(set)]);
        await world.apply(wrapper);
        await untilWrapperIs(world, 'w', 'Suspended');
        expect(await world.kubectl(['get', nameOf(set.resource), '-o', 'name'])).toBe('');
        await world.kubectl(toMain(wrapper));
        await untilWrapperIs(world, 'w', 'Running');
        await playOperator(world, set);
        await vi.waitFor(() =>
          expect(world.pods().map(phaseOf)).toEqual(['Running', 'Running', 'Running']),
        );
        expect((await workloadsIn(world)).map(ownerOf)).toEqual(['AppWrapper']);
        const seen = jobs.sightings(world.namespace).map(({ object }) => object.spec.suspend);
        expect(seen.filter((suspended) => suspended === true)).toEqual([]);
      },
    );

    it('is deleted after a while when Kueue has deactivated it, and stays when a user has', async () => {
      const world = await open('deactivated', onTestFinished);
      await world.apply(queued(flow('stays', [step('a', long)])));
      await world.untilRunning('stays-a');
      const [workload] = await workloadsIn(world);
      await world.patch('Workload', workload!.metadata.name, { spec: { active: false } });
      const limited = queued(flow('goes', [step('a', long)]));
      const labels = { ...limited.metadata.labels, 'kueue.x-k8s.io/max-exec-time-seconds': '1' };
      await world.apply({ ...limited, metadata: { ...limited.metadata, labels } });
      await world.kubectl(['wait', '--for=delete', kubectlPatience, 'jobflow/goes']);
      await world.until('the other one waits', () =>
        world.flow('stays')?.status?.message?.includes('is not active'),
      );
    });

    it('runs at once in a namespace that Kueue leaves alone', async () => {
      const world = await open('left-alone', onTestFinished, 'never');
      const [stored] = await world.apply(appWrapper('w', [wrappedJob('a', long)]));
      expect(stored?.spec).not.toMatchObject({ suspend: true });
      await untilWrapperIs(world, 'w', 'Running');
      expect(await workloadsIn(world)).toEqual([]);
    });
  },
  {
    rules: { managesUnlabelled: true, keepsDeactivatedMs: 1_000 },
    otherwise: {
      manageJobsWithoutQueueName: true,
      managedJobsNamespaceSelector: namespaces,
      objectRetentionPolicies: { workloads: { afterDeactivatedByKueue: '1s' } },
    },
  },
);
