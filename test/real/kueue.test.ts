/** What waits for quota in a queue of the real Kueue, and what policies do to it, on a node with containers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { installKueue, removeKueue } from './cluster/kueue.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { flowOf, jobSpec, manifest } from './manifests.ts';
import { applyOverlay } from './overlays.ts';
import { describeOnRealCluster } from './require.ts';

const apiVersion = 'kueue.x-k8s.io/v1beta2';
/** Room for one Pod of those that the flow has. */
const queues = [
  { apiVersion, kind: 'ResourceFlavor', metadata: { name: 'default' } },
  {
    apiVersion,
    kind: 'ClusterQueue',
    metadata: { name: 'small' },
    spec: {
      namespaceSelector: {},
      resourceGroups: [
        {
          coveredResources: ['pods'],
          flavors: [{ name: 'default', resources: [{ name: 'pods', nominalQuota: 1 }] }],
        },
      ],
    },
  },
  {
    apiVersion,
    kind: 'LocalQueue',
    metadata: { name: 'main', namespace: 'default' },
    spec: { clusterQueue: 'small' },
  },
];

interface Job {
  readonly metadata: { readonly name: string };
  readonly status: { readonly startTime: string; readonly completionTime: string };
}

describeOnRealCluster('the kueue overlay on a real node', (cluster) => {
  const { ask } = cluster;
  const apply = (text: string) => ask(['apply', '--server-side', '-f', '-'], text);
  beforeAll(async () => {
    await installKueue(cluster, reportProgress);
    await apply(queues.map((each) => JSON.stringify(each)).join('\n'));
    await applyOverlay(cluster, 'kueue');
  });
  afterAll(async () => {
    // While Kueue is there, to take its finalizers off.
    await ask(['delete', 'suspendpolicies,jobflows,jobs', '--all', '--timeout=60s']);
    await ask(['delete', 'workloads', '--all', '--timeout=60s']);
    await ask(['delete', 'localqueue/main', 'clusterqueue/small', '--timeout=60s']);
    await ask(['delete', 'resourceflavor/default', '--timeout=60s']);
    await removeKueue(cluster);
  });

  it('runs the steps of a flow one after another where the quota has room for one', async () => {
    const steps = ['a', 'b', 'c'].map((name) => ({ name, run: 'sleep 2' }));
    const last = { name: 'last', dependencies: ['a', 'b', 'c'], run: 'echo admitted' };
    const globalParams = { labels: { 'kueue.x-k8s.io/queue-name': 'main' } };
    await apply(flowOf('queued', [...steps, last], { globalParams }));
    await ask(['wait', '--for=condition=Complete', '--timeout=150s', 'jobflow/queued']);
    expect(await ask(['logs', 'job/queued-last'])).toBe('admitted\n');
    const read = await ask(['get', 'jobs', '-o', 'json']);
    const jobs = (JSON.parse(read) as { readonly items: readonly Job[] }).items;
    const ran = jobs
      .filter(({ metadata }) => metadata.name.startsWith('queued-'))
      .map(({ status }) => ({ from: status.startTime, to: status.completionTime }))
      .toSorted((left, right) => (left.from < right.from ? -1 : 1));
    expect(ran).toHaveLength(4);
    for (const [index, { from }] of ran.entries()) {
      const before = ran[index - 1];
      if (before !== undefined) expect(from >= before.to, JSON.stringify(ran)).toBe(true);
    }
  });

  const wait = (what: string, on: string) => ask(['wait', `--for=${what}`, '--timeout=60s', on]);
  const field = (path: string, ...of: readonly string[]) =>
    ask(['get', ...of, '-o', `jsonpath={${path}}`]);
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  /** Its night is always years away. Open: today and tomorrow are exceptions. */
  const policy = (name: string, opening: 'Open' | 'Closed', spec: JsonObject) =>
    manifest('millrace.dev/v1alpha1', 'SuspendPolicy', name, {
      spec: {
        ...spec,
        schedule: {
          timeZone: 'UTC',
          windows: [{ name: 'night', open: '0 0 29 2 *', close: '0 1 29 2 *' }],
          exceptions:
            opening === 'Closed'
              ? []
              : [Date.now(), Date.now() + 86_400_000].map((ms) => ({
                  ...{ name: `night-${day(ms)}`, date: day(ms), state: 'Open' },
                })),
        },
      },
    });
  const queued = (name: string) =>
    manifest('batch/v1', 'Job', name, {
      labels: { 'kueue.x-k8s.io/queue-name': 'main', of: 'crowd' },
      spec: jobSpec('trap "exit 1" TERM; sleep 300 & wait'),
    });

  it('has the quota given by Kueue and by nobody else', async () => {
    const columns = 'custom-columns=QUEUE:.spec.queueName,OWNER:.metadata.ownerReferences[0].kind';
    const lines = (await ask(['get', 'workloads', '--no-headers', '-o', columns])).trim();
    expect(lines.split('\n').map((line) => line.split(/\s+/))).toEqual(
      Array.from({ length: 4 }, () => ['main', 'Job']),
    );
    const finished = ['wait', '--for=condition=Finished', '--timeout=30s', 'workloads', '--all'];
    await ask(finished);
  });

  describe('a policy of its queues (scenario 65)', () => {
    const crowd = 200;
    const queues = (opening: 'Open' | 'Closed') =>
      apply(policy('queues', opening, { kinds: ['LocalQueue'] }));
    const stopPolicy = (is: string) => wait(`jsonpath={.spec.stopPolicy}=${is}`, 'localqueue/main');
    const generation = async () => Number(await field('.metadata.generation', 'localqueue/main'));
    const overridden = (count: number) =>
      wait(`jsonpath={.status.overridden}=${count}`, 'suspendpolicy/queues');

    it('stops what runs and what waits by one write, and none on a Job', async () => {
      await apply(queued('crowd-first'));
      await wait('jsonpath={.status.active}=1', 'job/crowd-first');
      const others = Array.from({ length: crowd - 1 }, (_, index) => queued(`crowd-${index}`));
      await apply(others.join('\n'));
      const before = await generation();
      await queues('Closed');
      await stopPolicy('HoldAndDrain');
      await wait('jsonpath={.spec.suspend}=true', 'job/crowd-first');
      await wait('jsonpath={.status.held}=1', 'suspendpolicy/queues');
      expect(await generation()).toBe(before + 1);
      const note = await field('.metadata.annotations.millrace\\.dev/held', 'localqueue/main');
      expect(JSON.parse(note)).toMatchObject({
        policy: 'SuspendPolicy/default/queues',
        reason: 'WindowClosed',
      });
      const jobs = await ask([
        'get',
        'jobs',
        '-l',
        'of=crowd',
        '-o',
        'yaml',
        '--show-managed-fields',
      ]);
      expect(jobs.match(/^ {2}kind: Job$/gm)).toHaveLength(crowd);
      expect(jobs).not.toContain('millrace');
    });

    it('opens it again, and Kueue goes on', async () => {
      const before = await generation();
      await queues('Open');
      await stopPolicy('None');
      expect(await generation()).toBe(before + 1);
      await expect
        .poll(() => field('.items[*].status.active', 'jobs', '-l', 'of=crowd'), { timeout: 60_000 })
        .toBe('1');
      expect(
        await field('.metadata.annotations.millrace\\.dev/suspended-by', 'localqueue/main'),
      ).toBe('');
    });

    it('leaves it as somebody has set it meanwhile', async () => {
      await queues('Closed');
      await stopPolicy('HoldAndDrain');
      const theirs = '{"spec":{"stopPolicy":"Hold"}}';
      await ask(['patch', 'localqueue/main', '--type=merge', '-p', theirs]);
      await overridden(1);
      await queues('Open');
      await wait('jsonpath={.status.state}=Open', 'suspendpolicy/queues');
      await overridden(0);
      expect(await field('.spec.stopPolicy', 'localqueue/main')).toBe('Hold');
      await ask(['delete', 'suspendpolicy/queues', '--timeout=60s']);
      expect(await field('.spec.stopPolicy', 'localqueue/main')).toBe('Hold');
      const back = '{"spec":{"stopPolicy":"None"}}';
      await ask(['patch', 'localqueue/main', '--type=merge', '-p', back]);
      await ask(['delete', 'jobs', '-l', 'of=crowd', '--timeout=60s']);
    });
  });
});
