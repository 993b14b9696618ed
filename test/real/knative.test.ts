/** Functions and admissions as Knative Services: at nothing while nothing happens, and woken by an event. */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { processes } from '#functions/processes.ts';
import { documented } from '#test/support/documented-commands.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { installServing } from './cluster/knative-serving.ts';
import type { RealCluster } from './cluster/real-cluster.ts';
import { rolledOut } from './cluster/rollout.ts';
import { memoryOf, reactionMs, spread } from './figures.ts';
import { flowOf } from './manifests.ts';
import { describeOnRealCluster } from './require.ts';

const folder = join(import.meta.dirname, '../../knative');
const functions = processes.filter(({ part }) => part === 'function').map(({ name }) => name);
const floodSize = 300;
/** Each takes the half minute until no function has a Pod any more. */
const wakes = Number(process.env['MILLRACE_TEST_WAKES'] ?? 1);
const warmFlows = 21;
const patience = { timeout: 600_000, interval: 500 };

const otherWays = {
  'the chart': documented(
    'helm install millrace deploy/chart -n millrace --create-namespace --set knative.enabled=true',
  ),
  // As long as kubectl waits.
  'the command line': 'npx millrace install --knative --timeout=600',
};

/** Every Knative Service takes requests, and what is none is there, when it returns. */
async function servedAfter(
  { ask }: RealCluster,
  how: string,
  install: () => Promise<unknown>,
): Promise<void> {
  const startMs = Date.now();
  await install();
  const services = ['-n', 'millrace', 'services.serving.knative.dev', '--all'];
  await ask(['wait', '--for=condition=Ready', kubectlPatience, ...services]);
  await rolledOut({ ask }, 'millrace', ['bridge', 'dispatcher', 'credentials', 'redis']);
  const seconds = Math.round((Date.now() - startMs) / 1_000);
  reportProgress(`knative by ${how}: Millrace ready after ${seconds} s`);
}

describeOnRealCluster('Knative on a real node', (cluster) => {
  const { ask, facts } = cluster;
  const apply = (text: string) => ask(['apply', '--server-side', '-o', 'json', '-f', '-'], text);
  beforeAll(async () => {
    await installServing(cluster, reportProgress);
    await servedAfter(cluster, 'kustomize', () => ask(['apply', '--server-side', '-k', folder]));
  });

  /** Names of the functions that have a Pod which is not leaving. */
  const awake = async (): Promise<readonly string[]> => {
    const selected = ['-n', 'millrace', '-l', 'millrace.dev/part=function'];
    const columns =
      'NAME:.metadata.labels.app\\.kubernetes\\.io/name,GOING:.metadata.deletionTimestamp';
    const list = ['get', 'pods', ...selected, '--no-headers', '-o', `custom-columns=${columns}`];
    const lines = (await ask(list)).trim().split('\n');
    return lines.filter((line) => line.endsWith('<none>')).map((line) => line.split(' ')[0] ?? '');
  };

  /** Flows without a status yet. */
  const undecided = async (): Promise<number> => {
    const columns = 'custom-columns=NAME:.metadata.name,STATE:.status.state';
    const lines = (await ask(['get', 'jobflows', '--no-headers', '-o', columns])).trim();
    return lines.split('\n').filter((line) => line.endsWith('<none>')).length;
  };

  /** kubectl looks at five objects a second when it waits for their end. */
  const deleteFlows = () => ask(['delete', 'jobflows', '--all', '--wait=false']);

  it('scales every function to nothing while nothing happens', async () => {
    await expect.poll(awake, patience).toEqual([]);
    reportProgress(`knative: idle ${await memoryOf(cluster, 'millrace')}`);
  });

  it('wakes the function that an event is for, and no other, and runs the flow', async () => {
    const samples: number[] = [];
    for (let wake = 0; wake < wakes; wake += 1) {
      await expect.poll(awake, patience).toEqual([]);
      const name = `wakes-${wake}`;
      const flow = flowOf(name, [
        { name: 'a', run: 'echo hi' },
        { name: 'b', dependencies: ['a'], run: 'echo hi' },
      ]);
      // The webhook is served by Pods of a Knative Service: it writes who submits this.
      expect(await apply(flow)).toContain('millrace.dev/submitter');
      await ask(['wait', '--for=create', kubectlPatience, `job/${name}-a`]);
      samples.push(await reactionMs(facts.auditLog, name, 'a'));
      expect(await awake()).toEqual(['flow-advance']);
      await ask(['wait', '--for=condition=Complete', kubectlPatience, `jobflow/${name}`]);
    }
    reportProgress(`from a flow to its first Job, from zero: ${spread(samples)}`);
    expect(functions).toContain('flow-advance');
  });

  it('answers at once while it is awake', async () => {
    const samples: number[] = [];
    for (let index = 0; index < warmFlows; index += 1) {
      const name = `warm-${index}`;
      await apply(flowOf(name, [{ name: 'a', run: 'true' }]));
      await ask(['wait', '--for=create', kubectlPatience, `job/${name}-a`]);
      // The first one finds no Pod.
      if (index > 0) samples.push(await reactionMs(facts.auditLog, name, 'a'));
    }
    reportProgress(`from a flow to its first Job, warm: ${spread(samples)}`);
    expect(await awake()).toEqual(['flow-advance']);
    await deleteFlows();
  });

  it('takes a flood with several Pods of the function that it is for, and none of others', async () => {
    const scaleDispatcher = (replicas: number) =>
      ask(['-n', 'millrace', 'scale', 'deployment/dispatcher', `--replicas=${replicas}`]);
    // All at once: what comes one by one is done before the next is there.
    await scaleDispatcher(0);
    const flows = Array.from({ length: floodSize }, (_, index) =>
      flowOf(`flood-${index}`, [{ name: 'a', run: 'true' }], { suspend: true }),
    );
    await ask(['apply', '--server-side', '-f', '-'], flows.join('\n'));
    await scaleDispatcher(2);
    const pods = new Map<string, number>();
    const startMs = Date.now();
    const overTime: string[] = [];
    const most = async (): Promise<number> => {
      const now = await awake();
      for (const name of new Set(now)) {
        const count = now.filter((each) => each === name).length;
        pods.set(name, Math.max(count, pods.get(name) ?? 0));
      }
      const waiting = await undecided();
      overTime.push(`${((Date.now() - startMs) / 1_000).toFixed(1)} s ${now.length}/${waiting}`);
      return pods.get('flow-advance') ?? 0;
    };
    const isDecided = async (): Promise<number> => {
      await most();
      return undecided();
    };
    await expect.poll(most, patience).toBeGreaterThan(1);
    await expect.poll(isDecided, patience).toBe(0);
    reportProgress(`flood of ${floodSize} flows: at most ${JSON.stringify([...pods])} Pods`);
    reportProgress(`flood: Pods/undecided flows after ${overTime.join(', ')}`);
    expect([...pods.keys()]).toEqual(['flow-advance']);
    await deleteFlows();
  });

  it('goes back to nothing afterwards', async () => {
    await expect.poll(awake, patience).toEqual([]);
  });
});

// Each renders what kustomize renders (test/cluster/chart.test.ts and manifests.test.ts).
for (const [way, command] of Object.entries(otherWays)) {
  // After the file's first suite, which leaves Knative and takes Millrace away.
  describeOnRealCluster(`Knative by ${way}`, (cluster) => {
    beforeAll(() => servedAfter(cluster, way, () => cluster.type(command)));

    it('runs a flow', async () => {
      // A name of its own: others count in the audit log of all files what was created twice.
      const name = `served-by-${way.replaceAll(' ', '-')}`;
      const steps = [
        { name: 'a', run: 'true' },
        { name: 'b', dependencies: ['a'], run: 'echo served' },
      ];
      await cluster.ask(['apply', '--server-side', '-f', '-'], flowOf(name, steps));
      const ended = ['--for=condition=Complete', kubectlPatience, `jobflow/${name}`];
      await cluster.ask(['wait', ...ended]);
      expect(await cluster.ask(['logs', `job/${name}-b`])).toBe('served\n');
    });
  });
}
