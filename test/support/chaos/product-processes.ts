/** Millrace as users start it: real processes that can be killed. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { urlVariable } from '#functions/dispatcher/configuration.ts';
import { subscriptions } from '#functions/list.ts';
import { entryOf } from '#shared/runtime/testing/process-entry.ts';
import { roleName } from '#shared/api/roles.ts';
import type { Cluster } from '../cluster-parts.ts';
import { kubectlOrThrow } from '../control-plane/kubectl.ts';
import { freePorts } from '../free-ports.ts';
import { ManagedProcess } from '../managed-process.ts';
import { startOrphanGuard } from '../orphan-guard.ts';
import type { Redis } from '../redis.ts';

export interface ProductProcesses {
  readonly names: readonly string[];
  /** SIGKILL; the process does not restart by itself. */
  kill(name: string): Promise<void>;
  /** Starts a killed process; returns when it is ready. */
  start(name: string): Promise<void>;
  /** Names of processes that do not run. */
  ended(): readonly string[];
  /** Ends them with SIGTERM, and removes their logs. */
  stop(): Promise<void>;
}

interface Part {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly port: number;
}

const main = (name: string) =>
  entryOf(join(import.meta.dirname, `../../../functions/${name}/main.ts`));

/** One process, under a user with only the roles of the bridge and the functions. */
export async function startMillraceRun(cluster: Cluster, redis: Redis): Promise<ProductProcesses> {
  for (const { name } of subscriptions) await grant(cluster, 'bridge', name);
  const [port] = await freePorts(1);
  const options = {
    kubeconfig: cluster.kubeconfigFor('bridge'),
    redis: redis.url,
    port: String(port),
    'log-format': 'json',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const args = [main('millrace'), 'run', '--no-webhooks', ...flags];
  return startAll([{ name: 'millrace', args, port: port! }]);
}

/** Bridge, dispatcher and each function as separate processes, each with its own user and role. */
export async function startSplitProcesses(
  cluster: Cluster,
  redis: Redis,
): Promise<ProductProcesses> {
  const [bridge = 0, dispatcher = 0, ...ports] = await freePorts(2 + subscriptions.length);
  const partOf = (name: string, port: number, env: Readonly<Record<string, string>>): Part => ({
    name,
    port,
    args: [main(name)],
    env: { ...env, PORT: String(port), REDIS_URL: redis.url },
  });
  const key = { MILLRACE_DELIVERY_KEY: `whsec_${randomBytes(32).toString('base64')}` };
  // No webhook records the submitter here.
  const trusting = { MILLRACE_TRUST_NAMESPACES: 'true' };
  const asUser = (user: string) => ({ KUBECONFIG: cluster.kubeconfigFor(user) });
  const served = subscriptions.map(({ name }, index) => ({ name, port: ports[index] ?? 0 }));
  const urls = served.map(({ name, port }) => [urlVariable(name), `http://127.0.0.1:${port}/`]);
  return startAll([
    ...served.map(({ name, port }) => partOf(name, port, { ...asUser(name), ...key, ...trusting })),
    partOf('bridge', bridge, { ...asUser('bridge'), ...key }),
    partOf('dispatcher', dispatcher, {
      ...asUser('dispatcher'),
      ...key,
      ...(Object.fromEntries(urls) as Record<string, string>),
    }),
  ]);
}

/** Gives one user the role of another as well. */
async function grant(cluster: Cluster, user: string, role: string): Promise<void> {
  const name = `${roleName(role)}:also-${user}`;
  const binding = ['create', 'clusterrolebinding', name, `--clusterrole=${roleName(role)}`];
  await kubectlOrThrow(cluster.kubectl, [...binding, `--user=${user}`]);
}

async function startAll(parts: readonly Part[]): Promise<ProductProcesses> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-processes-'));
  const guard = startOrphanGuard(folder);
  const processes = new Map(
    parts.map(({ name, args, env }) => [
      name,
      new ManagedProcess({
        command: process.execPath,
        args,
        guard,
        logFile: join(folder, `${name}.log`),
        ...(env === undefined ? {} : { env }),
      }),
    ]),
  );
  const stop = async () => {
    await Promise.all([...processes.values()].map((each) => each.stop()));
    guard.close();
    await rm(folder, { recursive: true, force: true });
  };
  const processOf = (name: string) => {
    const found = processes.get(name);
    if (found === undefined) throw new Error(`${name} is no process of this Millrace`);
    return found;
  };
  const start = async ({ name, port }: Part) => {
    processOf(name).start();
    await processOf(name).waitUntil(() => isReady(port));
  };
  try {
    await Promise.all(parts.map(start));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    names: [...processes.keys()],
    kill: (name) => processOf(name).kill('SIGKILL'),
    start: async (name) => {
      for (const part of parts) if (part.name === name) await start(part);
    },
    ended: () => [...processes].flatMap(([name, { pid }]) => (pid === undefined ? [name] : [])),
    stop,
  };
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await request(`http://127.0.0.1:${port}/health/readiness`);
    await answer.body.dump();
    return answer.statusCode === 200;
  } catch {
    // It is not listening yet.
    return false;
  }
}
