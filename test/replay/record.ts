/**
 * Records what the frozen recording shows: a failure, a retry, a window, a queue, a wrapper and a node that is lost, with
 * a value in every environment. `npm run --silent record > test/replay/format-N.ndjson`, where N is the format.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { journalExport } from '#functions/millrace/commands/journal.ts';
import { startUp } from '#functions/millrace/up/start-up.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { Stage, step, type Waiting } from '../support/waits/stage.ts';

/** Stands for a secret; no recording may hold it. */
const canary = 'canary-4711-0815';
const env = [{ name: 'TOKEN', value: canary }];
const containers = [{ name: 'main', image: 'busybox', env }];
const failing = {
  spec: { containers: [{ ...containers[0], command: ['sh', '-c', 'exit 1'] }] },
};
const sleeping = (seconds: number) => ({
  spec: { containers: [{ ...containers[0], command: ['sleep', String(seconds)] }] },
});
const brief = sleeping(5);
const lasting = sleeping(120);

const stateRoot = await mkdtemp(join(tmpdir(), 'millrace-record-'));
process.env['XDG_STATE_HOME'] = stateRoot;
const running = await startUp({
  ...{ port: 0, nodes: ['n1', 'n2', 'n3'], speed: 10, runCommands: false, kueue: true },
  ...{ webhooks: false, stateRoot: join(stateRoot, 'millrace'), logger: pino({ level: 'silent' }) },
});
const stage = new Stage(running.cluster.client({ user: 'ann', fieldManager: 'ann' }));
const policy = (name: string, tier: string, spec: object) =>
  stage.create('SuspendPolicy', {
    metadata: { name },
    spec: { selector: { matchLabels: { tier } }, ...spec },
  });
const stateOf = async (made: Waiting): Promise<unknown> => {
  const status = fieldsOf((await stage.now(made))?.status);
  return status['state'] ?? status['phase'];
};
const until = (made: Waiting, ...states: readonly string[]) =>
  stage.until(`${made.object.kind} that is ${states.join(' or ')}`, async () => {
    const state = await stateOf(made);
    return states.includes(state as string) ? true : undefined;
  });

const shut = await policy('shut', 'batch', {
  schedule: {
    timeZone: 'UTC',
    windows: [{ name: 'leap', open: '0 0 29 2 *', close: '1 0 29 2 *' }],
  },
});
await until(shut, 'Closed');
await policy('narrow', 'narrow', { capacity: { maxJobs: 1 } });
const narrow = (name: string) =>
  stage.create('Job', {
    metadata: { name, labels: { tier: 'narrow' } },
    spec: { template: { ...brief, spec: { ...brief.spec, restartPolicy: 'Never' } } },
  });
await narrow('first');
await narrow('second');
const held = await stage.create('JobFlow', {
  metadata: { name: 'night', labels: { tier: 'batch' } },
  spec: { flows: [step('a', { jobTemplate: { template: lasting } })] },
});
const flow = await stage.create('JobFlow', {
  metadata: { name: 'etl' },
  spec: {
    globalParams: { env },
    flows: [
      step('a', { jobTemplate: { template: brief } }),
      step('b', {
        dependencies: ['a'],
        jobTemplate: { template: failing },
        retryPolicy: { limit: 1, backoffSeconds: 1 },
      }),
      step('c', { dependencies: ['b'], jobTemplate: { template: brief } }),
    ],
  },
});
const queued = await stage.create('JobFlow', {
  metadata: { name: 'queued', labels: { 'kueue.x-k8s.io/queue-name': 'main' } },
  spec: { flows: [step('a', { jobTemplate: { template: brief } })] },
});
const wrapper = await stage.create('AppWrapper', {
  metadata: { name: 'wrapped', labels: { 'kueue.x-k8s.io/queue-name': 'main' } },
  spec: {
    suspend: true,
    components: [
      {
        template: {
          ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'inner' } },
          spec: { template: { ...brief, spec: { ...brief.spec, restartPolicy: 'Never' } } },
        },
      },
    ],
  },
});
await until(held, 'Suspended');
await stage.patch(held, { metadata: { annotations: { 'millrace.dev/suspend-override': 'Run' } } });
await until(flow, 'Failed');
await stage.patch(flow, { metadata: { annotations: { 'millrace.dev/retry': '1' } } });
await until(held, 'Succeed');
await until(queued, 'Succeed');
await until(wrapper, 'Succeeded');
const everywhere = await stage.create('DaemonJob', {
  metadata: { name: 'everywhere' },
  spec: {
    template: lasting,
  },
});
await until(everywhere, 'Running');
const nodes = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
await stage.client.delete(nodes, { namespace: '', name: 'n3' });
await until(everywhere, 'Succeed', 'Failed');
await sleep(2_000);
await journalExport(undefined, { kubeconfig: running.kubeconfig }, (line) =>
  process.stdout.write(`${line}\n`),
);
await running.stop();
await rm(stateRoot, { recursive: true, force: true });
