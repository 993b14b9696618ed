/** Events by a broker of Knative Eventing, from either of two sources, on a node with containers. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { processes } from '#functions/processes.ts';
import { documented } from '#test/support/documented-commands.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { testExtent } from '#test/support/test-extent.ts';
import { installEventing, removeEventing } from './cluster/knative-eventing.ts';
import { rolledOut } from './cluster/rollout.ts';
import { reactionMs, spread } from './figures.ts';
import { flowOf, manifest } from './manifests.ts';
import { readyAfter } from './overlays.ts';
import { describeOnRealCluster } from './require.ts';

const functions = processes.filter(({ part }) => part === 'function').map(({ name }) => name);
const patience = { timeout: 600_000, interval: 500 };
/** They are a figure and no rule. */
const measuredFlows = testExtent() === 'full' ? 11 : 0;
/** Half of the time between two sweeps of the bridge: what comes before was caused by its event. */
const soonMs = 15_000;
const broker = 'http://broker-ingress.knative-eventing.svc.cluster.local/millrace/millrace';
const ingress = ['-n', 'knative-eventing', '-l', 'eventing.knative.dev/brokerRole=ingress'];

interface LogLine {
  readonly level: string;
  readonly msg: string;
}

describeOnRealCluster('Knative Eventing on a real node', (cluster) => {
  const { ask, facts, helm, type } = cluster;
  const apply = (text: string) => ask(['apply', '--server-side', '-f', '-'], text);
  const wait = (what: string, ...on: readonly string[]) =>
    ask(['wait', `--for=${what}`, kubectlPatience, ...on]);
  const ofMillrace = (what: string, ...on: readonly string[]) =>
    wait(what, '-n', 'millrace', ...on);
  const scale = (namespace: string, deployment: string, replicas: number) =>
    ask(['-n', namespace, 'scale', `deployment/${deployment}`, `--replicas=${replicas}`]);

  const begin = async (name: string): Promise<void> => {
    const steps = [
      { name: 'a', run: 'true' },
      { name: 'b', dependencies: ['a'], run: 'echo by broker' },
    ];
    await apply(flowOf(name, steps));
  };
  const ends = async (name: string): Promise<void> => {
    await wait('condition=Complete', `jobflow/${name}`);
    expect(await ask(['logs', `job/${name}-b`])).toBe('by broker\n');
  };

  /** From the end of the first step to the beginning of the second one, in milliseconds. */
  const betweenSteps = async (name: string): Promise<number> => {
    const at = (step: string, path: string) =>
      ask(['get', `job/${name}-${step}`, '-o', `jsonpath={${path}}`]);
    const ended = Date.parse(await at('a', '.status.completionTime'));
    return Date.parse(await at('b', '.metadata.creationTimestamp')) - ended;
  };

  /** Names of the Pods of a process that stay. */
  const podsOf = async (process: string): Promise<readonly string[]> => {
    const selected = ['-n', 'millrace', '-l', `app.kubernetes.io/component=${process}`];
    const columns = 'custom-columns=NAME:.metadata.name,GOING:.metadata.deletionTimestamp';
    const listed = await ask(['get', 'pods', ...selected, '--no-headers', '-o', columns]);
    const staying = listed.split('\n').filter((line) => line.endsWith('<none>'));
    return staying.map((line) => line.split(' ')[0] ?? '');
  };
  const withoutDispatcher = async (): Promise<void> => {
    await scale('millrace', 'dispatcher', 0);
    await ofMillrace('delete', 'pods', '-l', 'app.kubernetes.io/component=dispatcher');
  };
  const readyTriggers = async (): Promise<readonly string[]> => {
    await ofMillrace('condition=Ready', 'brokers,triggers', '--all');
    const listed = await ask(['get', 'triggers', '-n', 'millrace', '-o', 'name']);
    return listed
      .trim()
      .split('\n')
      .map((line) => line.replace(/^.*\//, ''));
  };
  const measure = async (source: string): Promise<void> => {
    const samples: number[] = [];
    for (let index = 0; index < measuredFlows; index += 1) {
      const name = `${source}-${index}`;
      await apply(flowOf(name, [{ name: 'a', run: 'true' }]));
      await wait('create', `job/${name}-a`);
      // The first one finds connections that are still to be made.
      if (index > 0) samples.push(await reactionMs(facts.auditLog, name, 'a'));
    }
    if (samples.length > 0)
      reportProgress(`from a flow to its first Job, by a broker and ${source}: ${spread(samples)}`);
  };

  beforeAll(async () => {
    await installEventing(cluster, reportProgress);
    const install = async () => {
      await type(
        documented(
          'helm install millrace deploy/chart -n millrace --create-namespace --set knative.containerSource=true',
        ),
      );
      await ofMillrace('condition=Ready', 'containersource/bridge');
    };
    const deployments = processes.map(({ name }) =>
      name === 'bridge' ? 'bridge-deployment' : name,
    );
    await readyAfter(cluster, 'helm install with a ContainerSource', install, deployments);
  });
  afterAll(async () => {
    await ask(['delete', 'jobflows', '--all', kubectlPatience]);
    // While Eventing is there, to take its finalizers off.
    await helm('uninstall', 'millrace', '-n', 'millrace', '--wait');
    await removeEventing(cluster);
  });

  describe('the bridge as a ContainerSource', () => {
    const logOfBridge = async (): Promise<readonly LogLine[]> => {
      const lines = await ask(['logs', '-n', 'millrace', 'deployment/bridge-deployment']);
      return lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as LogLine);
    };

    it('has its broker and every trigger ready, and is configured with the broker', async () => {
      expect(await readyTriggers()).toEqual([
        'appwrapper-lifecycle-appwrapper',
        'daemon-fanout-daemonjob',
        'flow-advance-jobflow',
        'kueue-workload-sync-appwrapper',
        'kueue-workload-sync-daemonjob',
        'kueue-workload-sync-jobflow',
        'suspend-schedule-clustersuspendpolicy',
        'suspend-schedule-suspendpolicy',
      ]);
      const [bridge = '', ...others] = await podsOf('bridge');
      expect(others).toEqual([]);
      const path = 'jsonpath={.spec.containers[0].env[?(@.name=="K_SINK")].value}';
      expect(await ask(['get', 'pod', bridge, '-n', 'millrace', '-o', path])).toBe(broker);
    });

    it('brings a flow to its end with no dispatcher', async () => {
      await withoutDispatcher();
      await begin('by-source');
      await ends('by-source');
      await measure('container-source');
    });

    it('goes on with all flows while a foreign subscriber fails', async () => {
      const name = 'foreign';
      const subscriber = { uri: 'http://absent.millrace.svc.cluster.local' };
      const spec = { broker: 'millrace', subscriber, delivery: { retry: 0 } };
      await apply(
        manifest('eventing.knative.dev/v1', 'Trigger', name, { namespace: 'millrace', spec }),
      );
      onTestFinished(async () => {
        await ask(['delete', 'trigger', name, '-n', 'millrace']);
      });
      await ofMillrace('condition=Ready', `trigger/${name}`);
      const flows = ['first', 'second', 'third'].map((each) => `beside-failing-${each}`);
      for (const each of flows) await begin(each);
      for (const each of flows) {
        await ends(each);
        expect(await reactionMs(facts.auditLog, each, 'a')).toBeLessThan(soonMs);
        expect(await betweenSteps(each)).toBeLessThan(soonMs);
      }
    });

    it('sends again what came while the broker had no ingress, and logs both', async () => {
      await scale('knative-eventing', 'mt-broker-ingress', 0);
      await wait('delete', 'pods', ...ingress);
      await begin('ingress-away');
      const last = async () => {
        const log = await logOfBridge();
        return log.findLast(({ msg }) => msg.startsWith('the sink takes'))?.msg;
      };
      await expect.poll(last, patience).toBe('the sink takes no events');
      expect(await ask(['get', 'jobs', '-o', 'name'])).not.toContain('ingress-away-a');
      await scale('knative-eventing', 'mt-broker-ingress', 1);
      await ends('ingress-away');
      expect(await last()).toBe('the sink takes events again');
    });

    it('has put nothing into the queue, and logs no fault that lasts', async () => {
      await scale('millrace', 'dispatcher', 1);
      await rolledOut(cluster, 'millrace', ['dispatcher']);
      const [dispatcher = ''] = await podsOf('dispatcher');
      const path = `/api/v1/namespaces/millrace/pods/${dispatcher}:8080/proxy/metrics`;
      const depths = async () =>
        (await ask(['get', '--raw', path])).match(/^millrace_queue_items\{.*$/gm) ?? [];
      await expect.poll(async () => (await depths()).length, patience).toBe(4 * functions.length);
      for (const line of await depths()) expect(line).toMatch(/ 0$/);
      expect(await ask(['get', '--raw', path])).not.toMatch(/^millrace_deliveries_total\{/m);
      const log = await logOfBridge();
      expect(log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
      // Redis and the broker were waited for before.
      const again = log.findLastIndex(({ msg }) => msg === 'the sink takes events again');
      expect(log.slice(again).filter(({ level }) => level !== 'info')).toEqual([]);
    });
  });

  describe('an ApiServerSource beside the bridge', () => {
    beforeAll(async () => {
      await type(documented('helm upgrade millrace deploy/chart -n millrace --reset-values'));
      await ofMillrace('delete', 'brokers,inmemorychannels', '--all');
      const upgrade = documented(
        'helm upgrade millrace deploy/chart -n millrace --set knative.eventing=true',
      );
      await readyAfter(cluster, 'from a ContainerSource to an ApiServerSource', async () => {
        await type(upgrade);
        await ofMillrace('condition=Ready', 'apiserversource/api-server-source');
      });
    });

    it('is ready, with its broker and every trigger', async () => {
      expect(await readyTriggers()).toEqual([
        ...['appwrapper', 'daemonjob', 'job', 'jobflow'].map(
          (kind) => `appwrapper-lifecycle-${kind}`,
        ),
        'daemon-fanout-daemonjob',
        'daemon-fanout-job',
        'flow-advance-job',
        'flow-advance-jobflow',
      ]);
      const sources = ['get', 'containersources', '-n', 'millrace', '-o', 'name'];
      expect(await ask(sources)).toBe('');
    });

    it('has the broker deliver the events of a flow and of its Jobs, with no dispatcher', async () => {
      await withoutDispatcher();
      await begin('by-api-server-source');
      await ends('by-api-server-source');
      await measure('api-server-source');
    });
  });
});
