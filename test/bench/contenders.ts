/** The contenders: Millrace in one process with and without webhooks, Millrace apart, and the null controllers. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { subscriptions } from '#functions/list.ts';
import { urlVariable } from '#functions/dispatcher/configuration.ts';
import { mallocSettings, nodeSettings } from '../../deploy/build/process-settings.ts';
import { freePort, freePorts } from '../support/free-ports.ts';
import { ManagedProcess } from '../support/managed-process.ts';
import { type OrphanGuard, startOrphanGuard } from '../support/orphan-guard.ts';
import { startRedis } from '../support/redis.ts';
import type { Site } from './site.ts';

export type ContenderName =
  | 'as shipped'
  | 'together'
  | 'apart'
  | 'null, status at each wave'
  | 'null, status at start and end';

export interface Contender {
  readonly name: ContenderName;
  readonly isMillrace: boolean;
  /** Beginning of its requests' user agents. */
  readonly userAgent: string;
  start(site: Site, stack: AsyncDisposableStack): Promise<Running>;
}

export interface Running {
  readonly processes: ReadonlyMap<string, ManagedProcess>;
  readonly redis?: { readonly pid: number | undefined };
  /** Address of its metrics about reviews. Absent: it has no webhooks. */
  readonly reviewsAt?: string;
}

const root = join(import.meta.dirname, '../..');

/** The settings of the images, which Millrace's processes use here too. */
export const imageSettings = [
  ...nodeSettings,
  ...Object.entries(mallocSettings).map(([name, value]) => `${name}=${value}`),
].join(' ');

export const contenders: readonly Contender[] = [
  nullController('null, status at each wave', 'each-wave'),
  nullController('null, status at start and end', 'start-and-end'),
  {
    name: 'as shipped',
    ...millrace(),
    start: (site, stack) => startTogether(site, stack, 'with webhooks'),
  },
  { name: 'together', ...millrace(), start: (site, stack) => startTogether(site, stack) },
  { name: 'apart', ...millrace(), start: startApart },
];

function millrace() {
  return { isMillrace: true, userAgent: `millrace/${packageJson.version}` };
}

function nullController(name: ContenderName, status: string): Contender {
  return {
    name,
    isMillrace: false,
    userAgent: 'bench-null-controller',
    start: async (site, stack) => {
      const args = ['--kubeconfig', site.cluster.adminKubeconfig, '--status', status];
      const main = 'test/bench/null-controller.ts';
      const controller = launch(site, guardOf(stack), { name: 'null-controller', main, args });
      stack.defer(() => controller.stop());
      const { logFile } = controller;
      await controller.waitUntil(async () => (await readFile(logFile, 'utf8')).includes('ready'));
      return { processes: new Map([['null-controller', controller]]) };
    },
  };
}

/** Without `webhooks`: the checks of admission at a flow's creation are not part of running it. */
export async function startTogether(
  site: Site,
  stack: AsyncDisposableStack,
  webhooks?: 'with webhooks',
): Promise<Running> {
  const redis = await startRedis();
  stack.defer(() => redis.stop());
  const port = await freePort();
  const { adminKubeconfig } = site.cluster;
  const args = ['--kubeconfig', adminKubeconfig, '--redis', redis.url, '--port', String(port)];
  const run = launch(site, guardOf(stack), {
    name: 'millrace',
    main: 'functions/millrace/bin/millrace.js',
    args: ['run', ...(webhooks === undefined ? ['--no-webhooks'] : []), ...args],
    startsAs: 'image',
  });
  stack.defer(() => run.stop());
  await run.waitUntil(() => isReady(port));
  const reviewsAt = webhooks && `http://127.0.0.1:${port}/metrics`;
  return {
    ...{ processes: new Map([['millrace', run]]), redis },
    ...(reviewsAt === undefined ? {} : { reviewsAt }),
  };
}

/** Each process with its own user and role, as in a cluster. */
async function startApart(site: Site, stack: AsyncDisposableStack): Promise<Running> {
  const redis = await startRedis();
  stack.defer(() => redis.stop());
  const functions = subscriptions.map(({ name }) => name);
  const names = ['bridge', ...functions, 'dispatcher'];
  const free = await freePorts(names.length);
  const ports = new Map(names.map((name, index) => [name, free[index]!]));
  const urls = functions.map((name) => [urlVariable(name), `http://127.0.0.1:${ports.get(name)!}`]);
  const guard = guardOf(stack);
  const key = `whsec_${randomBytes(32).toString('base64')}`;
  const launched = names.map((name) => {
    const env = {
      REDIS_URL: redis.url,
      MILLRACE_DELIVERY_KEY: key,
      KUBECONFIG: site.cluster.kubeconfigFor(name),
      PORT: String(ports.get(name)!),
      ...(name === 'dispatcher' ? (Object.fromEntries(urls) as Record<string, string>) : {}),
      // No webhook records the submitter here.
      ...(functions.includes(name) ? { MILLRACE_TRUST_NAMESPACES: 'true' } : {}),
    };
    const main = `functions/${name}/main.ts`;
    const child = launch(site, guard, { name, main, env, startsAs: 'image' });
    stack.defer(() => child.stop());
    return [name, child] as const;
  });
  for (const [name, child] of launched) await child.waitUntil(() => isReady(ports.get(name)!));
  return { processes: new Map(launched), redis };
}

function guardOf(stack: AsyncDisposableStack): OrphanGuard {
  const guard = startOrphanGuard('');
  stack.defer(() => guard.close());
  return guard;
}

interface Launch {
  readonly name: string;
  /** From the root of the repository. */
  readonly main: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Present: with the settings of the images. */
  readonly startsAs?: 'image';
}

function launch({ cluster }: Site, guard: OrphanGuard, wanted: Launch): ManagedProcess {
  const { name, main, args = [], env = {}, startsAs } = wanted;
  const child = new ManagedProcess({
    command: process.execPath,
    args: [...(startsAs === 'image' ? nodeSettings : []), join(root, main), ...args],
    env: startsAs === 'image' ? { ...mallocSettings, ...env } : env,
    logFile: join(cluster.folder, 'logs', `${name}.log`),
    guard,
  });
  child.start();
  return child;
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/readiness`)).ok;
  } catch {
    return false;
  }
}
