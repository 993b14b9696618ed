/**
 * A secret in any field where users put one is neither stored nor printed: journal, export, log, the output of `why`,
 * metrics.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { functions } from '#functions/list.ts';
import { journalExport } from '#functions/millrace/commands/journal.ts';
import { why } from '#functions/millrace/commands/why.ts';
import { startUp, type RunningUp } from '#functions/millrace/up/start-up.ts';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import { Stage, step } from '#test/support/waits/stage.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const canary = 'canary-4711-0815';
const encoded = Buffer.from(canary).toString('base64');
const annotations = {
  'example.com/token': canary,
  'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ env: [canary] }),
};
const env = [{ name: 'TOKEN', value: canary }];
const template = {
  metadata: { annotations },
  spec: {
    containers: [{ name: 'main', image: 'busybox', env }],
    initContainers: [{ name: 'first', image: 'busybox', env }],
  },
};
const forJob = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
const failing = {
  ...template,
  metadata: { annotations: { ...annotations, 'simulate.millrace.dev/exit-code': '1' } },
};

let folder: string;
let running: RunningUp;
let stage: Stage;
let logged = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-secrets-'));
  vi.stubEnv('XDG_STATE_HOME', folder);
  const log = new PassThrough().setEncoding('utf8');
  log.on('data', (text: string) => (logged += text));
  running = await startUp({
    ...{ port: 0, nodes: ['n1', 'n2'], speed: 20, runCommands: false, kueue: true },
    ...{
      webhooks: true,
      stateRoot: join(folder, 'millrace'),
      logger: pino({ level: 'trace' }, log),
    },
  });
  stage = new Stage(running.cluster.client({ user: 'ann', fieldManager: 'ann' }));
  await plant();
});
afterAll(async () => {
  await running.stop();
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

async function plant(): Promise<void> {
  const queue = { 'kueue.x-k8s.io/queue-name': 'main' };
  await stage.create('SuspendPolicy', {
    metadata: { name: 'narrow', annotations },
    spec: { selector: { matchLabels: { tier: 'batch' } }, capacity: { maxJobs: 1 } },
  });
  await stage.create('JobTemplate', {
    metadata: { name: 'shared', annotations },
    spec: { jobTemplate: { template } },
  });
  const flowSpec = {
    globalParams: { env, annotations: { 'example.com/token': canary } },
    flows: [
      { name: 'a', jobTemplateRef: 'shared' },
      step('b', { dependencies: ['a'], jobTemplate: { template: failing } }),
    ],
  };
  const flow = await stage.create('JobFlow', {
    metadata: { name: 'fails', annotations },
    spec: flowSpec,
  });
  const flows = [
    flow,
    await stage.create('JobFlow', {
      metadata: { name: 'queued', annotations, labels: queue },
      spec: flowSpec,
    }),
    await stage.create('JobFlow', {
      metadata: { name: 'lacking', annotations },
      spec: { ...flowSpec, flows: [{ name: 'a', jobTemplateRef: 'absent' }] },
    }),
  ];
  const jobs = [];
  for (const name of ['first', 'second']) {
    jobs.push(
      await stage.create('Job', {
        metadata: { name, annotations, labels: { tier: 'batch' } },
        spec: { template: forJob },
      }),
    );
  }
  const daemonJob = await stage.create('DaemonJob', {
    metadata: { name: 'everywhere', annotations },
    spec: { template: failing },
  });
  const secret = {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'credentials', annotations } },
    ...{ data: { token: encoded }, stringData: { other: canary } },
  };
  const inner = {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'inner', annotations } },
    spec: { template: forJob },
  };
  const wrapper = await stage.create('AppWrapper', {
    metadata: { name: 'wrapped', annotations, labels: queue },
    spec: { components: [{ template: secret }, { template: inner }] },
  });
  for (const made of [...flows.slice(0, 2), daemonJob, wrapper]) {
    await stage.until(`an end of ${made.object.metadata.name}`, async () => {
      const { state, phase } = fieldsOf((await stage.now(made))?.status);
      const ends = ['Failed', 'Succeed', 'Succeeded'];
      return ends.includes(textOf(state ?? phase)) ? true : undefined;
    });
  }
}

const options = () => ({ kubeconfig: running.kubeconfig });

it('is not in the exported journal, which has decisions of every function', async () => {
  const lines: string[] = [];
  await journalExport(undefined, options(), (line) => void lines.push(line));
  const deciding = new Set(
    lines.map((line) => (JSON.parse(line) as { readonly function?: string }).function),
  );
  for (const { subscription } of functions) expect([...deciding]).toContain(subscription.name);
  expect(lines.filter(reveals)).toEqual([]);
});

it('is not in what why says of everything', async () => {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  await why(undefined, { ...options(), all: true, output: 'json' }, say);
  for (const name of ['fails', 'everywhere', 'wrapped', 'lacking', 'job/second']) {
    await why(name, options(), say);
  }
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter(reveals)).toEqual([]);
});

it('is not in the log', () => {
  expect(logged).toContain('plan applied');
  expect(logged.split('\n').filter(reveals)).toEqual([]);
});

it('is not in the metrics', async () => {
  const metrics = await (await fetch(new URL('/metrics', running.control))).text();
  expect(metrics).toContain('millrace_');
  expect(metrics.split('\n').filter(reveals)).toEqual([]);
});

function reveals(text: string): boolean {
  return text.includes(canary) || text.includes(encoded);
}
