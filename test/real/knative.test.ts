/** Functions and admissions as Knative Services: at nothing while nothing happens, and woken by an event. */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { processes } from '#functions/processes.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { installKnative } from './cluster/knative.ts';
import { flowOf } from './manifests.ts';
import { describeOnRealCluster } from './require.ts';

const folder = join(import.meta.dirname, '../../deploy/knative');
const functions = processes.filter(({ part }) => part === 'function').map(({ name }) => name);
const floodSize = 300;
const patience = { timeout: 120_000, interval: 500 };

describeOnRealCluster('Knative on a real node', (cluster) => {
  const { ask } = cluster;
  beforeAll(async () => {
    await installKnative(cluster, reportProgress);
    const startMs = Date.now();
    await ask(['apply', '--server-side', '-k', folder]);
    const services = ['-n', 'millrace', 'services.serving.knative.dev', '--all'];
    await ask(['wait', '--for=condition=Ready', '--timeout=150s', ...services]);
    for (const name of ['bridge', 'dispatcher', 'credentials', 'redis']) {
      const rollout = ['rollout', 'status', `deployment/${name}`, '--timeout=120s'];
      await ask(['-n', 'millrace', ...rollout]);
    }
    reportProgress(`knative: Millrace ready after ${Math.round((Date.now() - startMs) / 1_000)} s`);
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

  /** Flows that nobody has said anything of yet. */
  const undecided = async (): Promise<number> => {
    const columns = 'custom-columns=NAME:.metadata.name,STATE:.status.state';
    const lines = (await ask(['get', 'jobflows', '--no-headers', '-o', columns])).trim();
    return lines.split('\n').filter((line) => line.endsWith('<none>')).length;
  };

  it('scales every function to nothing while nothing happens', async () => {
    await expect.poll(awake, patience).toEqual([]);
  });

  it('wakes the function that an event is for, and no other, and runs the flow', async () => {
    const flow = flowOf('wakes', [
      { name: 'a', run: 'echo hi' },
      { name: 'b', dependencies: ['a'], run: 'echo hi' },
    ]);
    const startMs = Date.now();
    // The webhook is served by Pods of a Knative Service: it writes who submits this.
    const apply = ['apply', '--server-side', '-o', 'json', '-f', '-'];
    const stored = await ask(apply, flow);
    expect(stored).toContain('millrace.dev/submitter');
    await ask(['wait', '--for=create', '--timeout=90s', 'job/wakes-a']);
    reportProgress(`from the flow to its first Job, cold: ${Date.now() - startMs} ms`);
    expect(await awake()).toEqual(['flow-advance']);
    await ask(['wait', '--for=condition=Complete', '--timeout=90s', 'jobflow/wakes']);
    expect(functions).toContain('flow-advance');
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
    const most = async (): Promise<number> => {
      const now = await awake();
      for (const name of new Set(now)) {
        const count = now.filter((each) => each === name).length;
        pods.set(name, Math.max(count, pods.get(name) ?? 0));
      }
      return pods.get('flow-advance') ?? 0;
    };
    await expect.poll(most, patience).toBeGreaterThan(1);
    await expect.poll(undecided, patience).toBe(0);
    await most();
    reportProgress(`flood of ${floodSize} flows: at most ${JSON.stringify([...pods])} Pods`);
    expect([...pods.keys()]).toEqual(['flow-advance']);
    await ask(['delete', 'jobflows', '--all']);
  });

  it('goes back to nothing afterwards', async () => {
    await expect.poll(awake, patience).toEqual([]);
  });
});
