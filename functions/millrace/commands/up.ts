import { setFlagsFromString } from 'node:v8';
import packageJson from '../../../package.json' with { type: 'json' };
import { untilAborted } from '#shared/domain/until-aborted.ts';
import { createLogger, type Logger } from '#shared/runtime/process/telemetry.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import { watchSetOf } from '#functions/bridge/watch-set.ts';
import { subscriptions } from '#functions/list.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { type Hosted, hostedBy } from '../hosted-settings.ts';
import { interruption } from '../interruption.ts';
import { appearanceOf } from '../terminal/appearance.ts';
import { columnsOf } from '../terminal/screen.ts';
import { bannerOf, exportLine, type Part } from '../up/banner.ts';
import { startingQueue } from '../up/install-kueue.ts';
import { findProgram } from '../up/find-program.ts';
import { type RunningUp, startUp } from '../up/start-up.ts';
import { stateRoot } from '../up/state-folder.ts';
import type { UpOptions } from './up-options.ts';

/** `millrace up`: runs until a signal. Throws faults of the start-up, and the fault that ended it. */
export async function up(options: UpOptions): Promise<void> {
  const interrupted = interruption();
  requireOneClock(options);
  const { port, nodes, speed, persist, kubeconfigOut } = options;
  const { runCommands = false, kueue = false } = options;
  const { redis, redisInsecure = false, eventsTo, webhooks, policy = defaultPolicy } = options;
  const hosted = await hostedBy(options, process.env);
  if (runCommands) say(announcement);
  const running = await startUp({
    ...{ port, nodes, speed, runCommands, kueue },
    ...(persist === undefined ? {} : { persist }),
    ...(redis === undefined ? {} : { redis, redisInsecure }),
    ...(kubeconfigOut === undefined ? {} : { kubeconfigOut }),
    ...(eventsTo === undefined ? {} : { eventsTo }),
    ...{ policy, webhooks, hosted },
    stateRoot: stateRoot(process.env),
    logger: await loggerFor(options),
  });
  try {
    await introduce(running, options, hosted);
    // main.ts limited the young generation while the program was loaded. Normal work needs more.
    setFlagsFromString('--semi-space-growth-factor=2');
    await Promise.race([running.ended, untilAborted(interrupted)]);
    say('stopping; press Ctrl-C again to stop at once');
  } finally {
    await running.stop();
  }
}

const announcement =
  'note: --run-commands: commands of containers run as processes of this machine, as you, without isolation';

/** Progress and hints go to standard error. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Redis uses real time, so delayed items would come too late on a faster clock. */
function requireOneClock({ speed, redis }: UpOptions): void {
  if (speed === 1 || redis === undefined) return;
  const message = '--speed needs the queue in memory: Redis uses real time only';
  throw new CommandFailure(exitCodes.usage, message, 'leave out --redis or --speed');
}

async function introduce(running: RunningUp, options: UpOptions, hosted: Hosted): Promise<void> {
  if (options.port !== 0 && running.port !== options.port) {
    say(`note: port ${options.port} is in use; took ${running.port}`);
  }
  if (options.headless === true) {
    process.stdout.write(`${exportLine(running.kubeconfig)}\n`);
    return;
  }
  const facts = {
    parts: partsOf(running, options, hosted),
    kubeconfig: running.kubeconfig,
    hasKubectl: (await findProgram('kubectl', process.env['PATH'])) !== undefined,
    startedInMs: performance.now(),
  };
  const appearance = appearanceOf(process.stdout, options, process.env);
  process.stdout.write(bannerOf(facts, appearance, columnsOf(process.stdout)));
}

function partsOf(
  { server, control, cluster }: RunningUp,
  options: UpOptions,
  { admissions }: Hosted,
): readonly Part[] {
  const { redis, persist, speed, runCommands, kueue, eventsTo } = options;
  const nodes = cluster.store.list({ group: '', plural: 'nodes' });
  const store =
    redis === undefined
      ? ({ place: 'embedded', where: 'in memory' } as const)
      : ({ place: 'external', where: withoutPassword(redis) } as const);
  const embedded = (name: string, where: string): Part => ({ name, place: 'embedded', where });
  const kept = persist === undefined ? 'objects in memory' : `objects kept in ${persist}`;
  const pods = runCommands === true ? 'commands run on this machine' : 'pods simulated';
  return [
    embedded('api', `${server}  Kubernetes API, ${kept}`),
    embedded('nodes', `${nodes.map(({ metadata }) => metadata.name).join(', ')}; ${pods}`),
    ...(kueue === true ? [embedded('kueue', `simulated; ${startingQueue}`)] : []),
    ...(speed === 1 ? [] : [embedded('clock', `${speed} times as fast as yours`)]),
    { name: 'queue', ...store },
    { name: 'journal', ...store },
    ...(eventsTo === undefined
      ? []
      : [{ name: 'events', place: 'external', where: eventsTo.href } as const]),
    embedded(
      'bridge',
      `follows ${watchSetOf(subscriptions)
        .map(({ resource }) => resource.kind)
        .join(', ')}`,
    ),
    embedded('dispatcher', 'in process'),
    ...subscriptions.map(({ name }) => embedded(name, 'in process')),
    ...Object.keys(admissions).map((name) =>
      embedded(name, 'webhooks; --no-webhooks leaves them out'),
    ),
    embedded('metrics', `${control}/metrics`),
  ];
}

function withoutPassword(redis: string): string {
  if (!URL.canParse(redis)) return redis;
  const { protocol, host } = new URL(redis);
  return `${protocol}//${host}`;
}

/** Without `--verbose` only what a user has to know. */
function loggerFor({ verbose }: UpOptions): Promise<Logger> {
  return createLogger({
    name: 'millrace',
    version: packageJson.version,
    level: verbose === true ? 'debug' : 'warn',
    destination: process.stderr,
  });
}
