import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { freePort } from '#test/support/free-ports.ts';
import { findDemo, readDemos } from '../demo/catalogue.ts';
import { rehearse } from '../demo/rehearse.ts';
import { type CommandLine, commandLine, type CommandRun } from '../testing/cli.ts';

let cli: CommandLine;
beforeEach(async () => (cli = await commandLine()));
afterEach(() => cli[Symbol.asyncDispose]());

// A whole cluster in its own process, on a possibly busy machine.
const slow = 60_000;
const exported = /export KUBECONFIG=(\S+)\n/;

async function started(...args: readonly string[]): Promise<{
  readonly run: CommandRun;
  readonly kubeconfig: string;
}> {
  const run = cli.start(['up', ...args]);
  const [, kubeconfig = ''] = await run.printed(exported);
  return { run, kubeconfig };
}

async function ended({ child, exited }: CommandRun, signal: NodeJS.Signals = 'SIGINT') {
  child.kill(signal);
  return await exited;
}

async function withClient<T>(kubeconfig: string, use: (client: HttpKubeClient) => Promise<T>) {
  const connection = await loadConnection({ kubeconfig });
  try {
    return await use(new HttpKubeClient({ connection, userAgent: 'test' }));
  } finally {
    await connection.close();
  }
}

test(
  'the banner names every part, the export line and what to try; the rest is quiet',
  async () => {
    const { run } = await started('--port', '0');
    await run.printed(/in a second terminal:\n(?: {2}.*\n){5}\nCtrl-C ends it\n/);
    for (const part of [
      'api',
      'nodes',
      'queue',
      'journal',
      'bridge',
      'dispatcher',
      'flow-advance',
    ]) {
      expect(run.stdout()).toMatch(new RegExp(`✔ ${part} +embedded {2}\\S`));
    }
    expect(run.stdout()).toContain('minikube, node-2, node-3');
    expect(run.stderr()).toBe('');
    expect(run.stdout()).not.toContain('\u001B');
    expect(await ended(run)).toBe(0);
  },
  slow,
);

test(
  'serves the kinds of Millrace and Ready nodes, and runs an applied flow to its end',
  async () => {
    const { run, kubeconfig } = await started('--port', '0', '--nodes', '2', '--speed', '20');
    await withClient(kubeconfig, async (client) => {
      const { items } = await client.list(resources.Node, {});
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['minikube', 'node-2']);
      const five = rehearse(findDemo(await readDemos()), { timesFaster: 10 }).flow;
      const flow = { ...five, metadata: { ...five.metadata, namespace: 'default' } };
      await client.create(resources.JobFlow, flow);
      await expect
        .poll(async () => stateOf(client, 'jobflow-example'), { interval: 200 })
        .toBe('Succeed');
    });
    expect(await ended(run)).toBe(0);
  },
  slow,
);

test(
  'a busy port gives way to the next free one, and it says so',
  async () => {
    const port = await freePort();
    const first = await started('--port', String(port), '--headless');
    const second = await started('--port', String(port), '--headless');
    expect(second.run.stderr()).toMatch(new RegExp(`^note: port ${port} is in use; took \\d+\n$`));
    expect(second.kubeconfig).not.toBe(first.kubeconfig);
    // Each serves its own cluster.
    const uids = await Promise.all(
      [first, second].map(({ kubeconfig }) => withClient(kubeconfig, uidOfKubeSystem)),
    );
    expect(new Set(uids).size).toBe(2);
  },
  slow,
);

test(
  "never touches the user's kubeconfig, also when it is named as the place to write to",
  async () => {
    const home = join(cli.stateHome, 'home');
    const own = join(home, '.kube', 'config');
    await mkdir(join(home, '.kube'), { recursive: true });
    await writeFile(own, 'apiVersion: v1\nkind: Config\ncontexts: []\n');
    const env = { HOME: home, KUBECONFIG: own };
    const run = cli.start(['up', '--port', '0', '--headless'], env);
    await run.printed(exported);
    await ended(run);
    const refused = cli.start(['up', '--port', '0', '--kubeconfig-out', own], env);
    expect(await refused.exited).toBe(2);
    expect(refused.stderr()).toMatch(/stays unchanged\nnext: /);
    expect(await readFile(own, 'utf8')).toBe('apiVersion: v1\nkind: Config\ncontexts: []\n');
  },
  slow,
);

test(
  'after one Ctrl-C nothing is left behind',
  async () => {
    const { run, kubeconfig } = await started('--port', '0', '--headless');
    expect(existsSync(kubeconfig)).toBe(true);
    expect(await ended(run)).toBe(0);
    expect(await readdir(join(cli.stateHome, 'millrace'))).toEqual([]);
    expect(run.stderr()).toBe('stopping; press Ctrl-C again to stop at once\n');
  },
  slow,
);

test(
  'with --persist a finished flow is there after a restart, and without it is gone',
  async () => {
    const folder = join(cli.stateHome, 'kept');
    const port = String(await freePort());
    const args = ['--port', port, '--headless', '--persist', folder];
    const first = await started(...args);
    const template = findDemo(await readDemos(), 'example-template').templates[0]!;
    const name = { namespace: 'default', name: 'job1-template' };
    const uid = await withClient(first.kubeconfig, async (client) => {
      const metadata = { ...template.metadata, namespace: 'default' };
      await client.create(resources.JobTemplate, { ...template, metadata });
      return uidOfKubeSystem(client);
    });
    await ended(first.run);
    const second = await started(...args);
    expect(await withClient(second.kubeconfig, uidOfKubeSystem)).toBe(uid);
    expect(
      await withClient(second.kubeconfig, (client) => client.get(resources.JobTemplate, name)),
    ).toMatchObject({ spec: template.spec });
    await ended(second.run);
    const without = await started('--port', port, '--headless');
    expect(
      await withClient(without.kubeconfig, (client) => client.get(resources.JobTemplate, name)),
    ).toBeUndefined();
  },
  slow,
);

test(
  'a demo uses the one that runs, says which, and leaves its flow there',
  async () => {
    const { kubeconfig } = await started('--port', '0', '--headless');
    const byState = cli.start(['demo', 'example-template']);
    const byVariable = cli.start(['demo', 'example-template'], { KUBECONFIG: kubeconfig });
    expect(await byState.exited).toBe(0);
    expect(await byVariable.exited).toBe(0);
    expect(byState.stderr()).toMatch(/^demo on the millrace up at .*found by its state file\)/);
    expect(byVariable.stderr()).toMatch(/^demo on the millrace up at .*KUBECONFIG names it\)/);
    expect(byState.stdout()).toContain('2 duplicates ignored (1 of them out of order)');
    await withClient(kubeconfig, async (client) => {
      const { items } = await client.list(resources.JobFlow, { namespace: 'default' });
      expect(items.map(({ metadata }) => metadata.name)).toEqual([
        'demo-example-template',
        'demo-example-template-2',
      ]);
    });
  },
  slow,
);

test(
  'has nodes of the names that are given, on which a DaemonJob runs',
  async () => {
    const names = 'vm-0-12-centos,vm-0-17-centos,node1,node2';
    const { kubeconfig } = await started('--port', '0', '--nodes', names, '--speed', '100');
    await withClient(kubeconfig, async (client) => {
      const text = readFileSync('deploy/examples/daemonjob-example.yaml', 'utf8');
      const manifest = parse(text) as NewObject;
      const metadata = { ...manifest.metadata, namespace: 'default' };
      await client.create(resources.DaemonJob, { ...manifest, metadata });
      const stateOf = async () => {
        const found = await client.get(resources.DaemonJob, {
          namespace: 'default',
          name: 'daemonjob-example',
        });
        return (found?.status as { readonly state?: string } | undefined)?.state;
      };
      await expect.poll(stateOf).toBe('Succeed');
      const { items } = await client.list(resources.Job, { namespace: 'default' });
      expect(items.map(({ metadata: { name } }) => name).sort()).toEqual([
        'daemonjob-example-vm-0-12-centos',
        'daemonjob-example-vm-0-17-centos',
      ]);
    });
  },
  slow,
);

test(
  '--run-commands runs the command of a container on this machine, and says so',
  async () => {
    const { run, kubeconfig } = await started('--port', '0', '--headless', '--run-commands');
    expect(run.stderr()).toMatch(/^note: --run-commands: .*as you, without isolation\n/);
    const proof = join(cli.stateHome, 'proof');
    await withClient(kubeconfig, async (client) => {
      const container = { name: 'c', image: 'none', command: ['sh', '-c', `echo done > ${proof}`] };
      await client.create(resources.JobFlow, {
        apiVersion: 'api.practice.com/v1alpha1',
        kind: 'JobFlow',
        metadata: { name: 'real', namespace: 'default' },
        spec: {
          flows: [{ name: 'a', jobTemplate: { template: { spec: { containers: [container] } } } }],
        },
      });
      await expect.poll(async () => stateOf(client, 'real'), { interval: 200 }).toBe('Succeed');
    });
    expect(await readFile(proof, 'utf8')).toBe('done\n');
  },
  slow,
);

test.each([
  ['--port', '70000'],
  ['--nodes', '0'],
  ['--nodes', 'a,B'],
  ['--speed', 'fast'],
  ['--redis', 'localhost'],
])('%s %s is refused with exit code 2 before anything starts', async (...args) => {
  const run = cli.start(['up', ...args]);
  expect(await run.exited).toBe(2);
  expect(run.stdout()).toBe('');
});

test('--speed and --redis do not go together: exit code 2', async () => {
  const run = cli.start(['up', '--speed', '2', '--redis', 'redis://127.0.0.1:9']);
  expect(await run.exited).toBe(2);
  expect(run.stderr()).toMatch(/Redis uses real time only\nnext: /);
});

test(
  'a Redis that does not answer: exit code 8 and no banner',
  async () => {
    const run = cli.start(['up', '--port', '0', '--redis', 'redis://127.0.0.1:9']);
    expect(await run.exited).toBe(8);
    expect(run.stdout()).toBe('');
    expect(run.stderr()).toMatch(/MR_QUEUE_UNAVAILABLE\)\nnext: /);
  },
  slow,
);

async function stateOf(client: HttpKubeClient, name: string): Promise<unknown> {
  const flow = await client.get(resources.JobFlow, { namespace: 'default', name });
  return (flow?.status as { readonly state?: string } | undefined)?.state;
}

async function uidOfKubeSystem(client: HttpKubeClient): Promise<string | undefined> {
  const namespace = await client.get(resources.Namespace, { namespace: '', name: 'kube-system' });
  return namespace?.metadata.uid;
}
