/**
 * Another kind of work is its folder and its entry in two lists. This test adds one to a copy of the sources and runs
 * it as users do: `millrace up` with policies and webhooks.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnvironment, type CommandRun, followed } from '#functions/millrace/testing/cli.ts';
import type { KubeObject, NewObject } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { patienceMs } from '#test/support/patience.ts';
import { Nap } from './nap/nap-kind.ts';

const root = join(import.meta.dirname, '../..');
const { Job, SuspendPolicy, Workload } = resources;

async function copyWithNaps(folder: string): Promise<void> {
  for (const part of ['package.json', 'shared', 'functions', 'sandbox']) {
    const filter = (path: string): boolean => !path.endsWith('.test.ts');
    await cp(join(root, part), join(folder, part), { recursive: true, filter });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await cp(join(import.meta.dirname, 'nap'), join(folder, 'functions/nap'), { recursive: true });
  const list = join(folder, 'functions/list.ts');
  await addTo(list, 'EventFunction[] = [', 'napKeeper', './nap/function.ts');
  const work = join(folder, 'shared/api/work/work-kinds.ts');
  await addTo(work, 'WorkKind[] = [', 'napWork', '#functions/nap/nap-kind.ts');
}

/** Adds the name and its import to the list of the file. */
async function addTo(file: string, list: string, name: string, from: string): Promise<void> {
  const [before, after, ...others] = (await readFile(file, 'utf8')).split(list);
  if (after === undefined || others.length > 0) throw new Error(`${file} has no such list`);
  const imported = `import { ${name} } from '${from}';\n`;
  await writeFile(file, `${imported}${before}${list}${name}, ${after}`);
}

describe('a kind of work that is its folder and its place in two lists', () => {
  let folder: string;
  let run: CommandRun;
  let client: HttpKubeClient;
  let disconnect: () => Promise<void>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-kind-'));
    await copyWithNaps(folder);
    const state = join(folder, 'state');
    await mkdir(state);
    const main = join(folder, 'functions/millrace/main.ts');
    const env = { ...cleanEnvironment(), XDG_STATE_HOME: state };
    run = followed(
      spawn(process.execPath, [main, 'up', '--port', '0', '--nodes', '1', '--kueue'], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    const [, kubeconfig = ''] = await run.printed(/export KUBECONFIG=(\S+)\n/);
    const connection = await loadConnection({ kubeconfig });
    client = new HttpKubeClient({ connection, userAgent: 'test' });
    disconnect = () => connection.close();
  }, patienceMs);
  afterAll(async () => {
    await disconnect();
    run.child.kill('SIGINT');
    await run.exited;
    await rm(folder, { recursive: true, force: true });
  });

  const nap = (name: string, seconds = 600): NewObject => ({
    apiVersion: `${Nap.group}/${Nap.version}`,
    kind: Nap.kind,
    metadata: { name, namespace: 'default' },
    spec: { seconds },
  });
  const named = (name: string) => ({ namespace: 'default', name });
  const isSuspended = (object: KubeObject | undefined) =>
    (object?.spec as { readonly suspend?: boolean } | undefined)?.suspend ?? false;

  it('is judged by admission before it is stored', async () => {
    await expect(client.create(Nap, nap('endless', 9_999))).rejects.toThrow(
      /spec\.seconds: a Nap lasts 3600 s at most/,
    );
    await client.create(Nap, nap('early'));
    const job = (): Promise<KubeObject | undefined> => client.get(Job, named('early-nap'));
    await expect.poll(async () => isSuspended(await job())).toBe(false);
    await expect.poll(async () => (await job())?.metadata.name).toBe('early-nap');
  });

  it('is suspended by a policy that names it, as it runs and as it is created', async () => {
    const far = new Date(Date.now() + 180 * 86_400_000).getUTCMonth() + 1;
    await client.create(SuspendPolicy, {
      apiVersion: 'millrace.dev/v1alpha1',
      kind: 'SuspendPolicy',
      metadata: { name: 'awake', namespace: 'default' },
      spec: {
        kinds: ['Nap'],
        schedule: {
          timeZone: 'UTC',
          windows: [{ name: 'far', open: `0 0 1 ${far} *`, close: `0 1 1 ${far} *` }],
        },
      },
    });
    await expect.poll(async () => isSuspended(await client.get(Nap, named('early')))).toBe(true);
    await expect
      .poll(async () => isSuspended(await client.get(Job, named('early-nap'))))
      .toBe(true);
    const late = () => client.create(Nap, nap('late'), { dryRun: true });
    await expect.poll(async () => isSuspended(await late())).toBe(true);
    const status = async () => (await client.get(SuspendPolicy, named('awake')))?.status;
    await expect.poll(status).toMatchObject({ selected: 1, held: 1 });
  });

  it('goes on when the policy is deleted', async () => {
    await client.delete(SuspendPolicy, named('awake'), { propagation: 'Background' });
    await expect.poll(async () => isSuspended(await client.get(Nap, named('early')))).toBe(false);
    await expect
      .poll(async () => isSuspended(await client.get(Job, named('early-nap'))))
      .toBe(false);
  });

  it('waits in a queue of Kueue, and runs when Kueue admits its Workload', async () => {
    const elsewhere = {
      ...nap('queued'),
      metadata: { name: 'queued', namespace: 'default', labels: { [queueLabel]: 'later' } },
    };
    expect(isSuspended(await client.create(Nap, elsewhere))).toBe(true);
    await expect.poll(async () => (await client.list(Workload, {})).items.length).toBe(1);
    expect(await client.get(Job, named('queued-nap'))).toBeUndefined();
    const patch = { metadata: { labels: { [queueLabel]: 'main' } } };
    await client.patch(Nap, named('queued'), patch, { type: 'merge' });
    const job = (): Promise<KubeObject | undefined> => client.get(Job, named('queued-nap'));
    await expect.poll(async () => (await job())?.metadata.name).toBe('queued-nap');
    expect(isSuspended(await client.get(Nap, named('queued')))).toBe(false);
  });
});
