/** A sandbox in this process for one demo. It listens on no port and leaves nothing behind. */
import type { WaitingClock } from '#shared/domain/clock.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import { createMemoryQueue } from '#shared/queue/memory-queue.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createLogger, createRegistry } from '#shared/runtime/process/telemetry.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { startLocalMillrace } from '../up/compose-local.ts';
import { startSandbox } from '../up/start-sandbox.ts';
import type { DemoTarget } from './target.ts';

export interface OwnSandboxOptions {
  readonly namespace?: string;
  /** Number or names of the nodes. Default 3. */
  readonly nodes?: number | readonly string[];
  /** Default: the clock of the machine. */
  readonly clock?: WaitingClock;
  /** The clock runs this many times faster than real time. Default 1. */
  readonly speed?: number;
}

export async function openOwnSandbox({
  namespace = 'default',
  nodes = 3,
  clock = systemClock,
  speed = 1,
}: OwnSandboxOptions = {}): Promise<DemoTarget> {
  const logger = await createLogger({
    name: 'millrace',
    version: packageJson.version,
    level: 'error',
    destination: process.stderr,
  });
  await using stack = new AsyncDisposableStack();
  const sandbox = await startSandbox({ clock, logger, nodes, random: Math.random });
  const cluster = stack.adopt(sandbox, (opened) => opened.stop());
  const queue = stack.adopt(createMemoryQueue({ clock }), (opened) => opened.close());
  const journal = stack.adopt(createMemoryJournal({ clock }), (opened) => opened.close());
  const local = await startLocalMillrace({
    ...{ clock, logger, speed, random: Math.random, registry: createRegistry() },
    ...{ clientOf: cluster.clientOf, queue, journal },
    trustNamespaces: true,
  });
  const millrace = stack.adopt(local, (opened) => opened.stop());
  const kept = stack.move();
  return {
    kind: 'own',
    describe: 'a sandbox in this process: no cluster, no Redis',
    client: cluster.client({ user: 'millrace-demo', fieldManager: 'millrace-demo' }),
    namespace,
    desk: millrace.desk,
    close: () => kept.disposeAsync(),
  };
}
