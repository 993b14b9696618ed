/** A cluster in this process: the API, Millrace's kinds, nodes, and a simulated control plane. */
import { join } from 'node:path';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import {
  type ContainerRuntime,
  createSandbox,
  newNode,
  ProcessRuntime,
  restore,
  type Sandbox,
  SimulatedRuntime,
  type Snapshot,
  startControllers,
} from '#sandbox';
import { clientPerComponent } from '../client-per-component.ts';
import type { ClientOf } from '../compose.ts';
import { installKueue } from './install-kueue.ts';
import { applyDefinitions, createMissing } from './served-objects.ts';
import { kinds } from '#functions/list.ts';
import { servedDefinitions } from '#shared/api/served-definitions.ts';

export interface LocalClusterOptions {
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly logger: Logger;
  /** Number or names of the nodes. */
  readonly nodes: number | readonly string[];
  readonly restored?: Snapshot;
  /** Serves Kueue's kinds, with a first queue. Default false. */
  readonly kueue?: boolean;
  /** Runs commands of containers as processes of this machine, in folders below this one. */
  readonly runCommandsIn?: string;
}

export interface LocalCluster extends Sandbox {
  readonly runtime: ContainerRuntime;
  /** Clients of the components of Millrace. */
  readonly clientOf: ClientOf;
  stop(): Promise<void>;
}

/** Number of events that a watch can go back: clients here read at once. */
const historySize = 2_000;
/** The examples of the original operator name this node. */
const firstNode = 'minikube';

export async function startSandbox(options: LocalClusterOptions): Promise<LocalCluster> {
  const { clock, random, logger, restored, kueue = false } = options;
  const sandbox = createSandbox({ clock, random, historySize });
  if (restored !== undefined) restore(sandbox.api, restored);
  const admin = sandbox.client({ user: 'millrace-up', fieldManager: 'millrace-up' });
  await applyDefinitions(admin, servedDefinitions(kinds));
  for (const name of namesOf(options.nodes)) {
    await createMissing(admin, resources.Node, newNode(name));
  }
  if (kueue) await installKueue(admin);
  const runtime = runtimeFor(sandbox, options);
  const { api } = sandbox;
  const controllers = startControllers({
    ...{ api, clock, random, runtime, kueue },
    onError: ({ controller, key, error }) =>
      logger.warn({ controller, key, err: error }, 'controller tries again'),
  });
  return {
    ...{ ...sandbox, runtime, clientOf: clientsOf(sandbox) },
    stop: async () => {
      await controllers.stop();
      if (runtime instanceof ProcessRuntime) runtime.close();
    },
  };
}

function clientsOf(sandbox: Sandbox): ClientOf {
  return clientPerComponent((user) =>
    sandbox.client({ user, fieldManager: `millrace.dev/${user}` }),
  );
}

function runtimeFor(
  { api }: Sandbox,
  { clock, runCommandsIn: folder }: LocalClusterOptions,
): ContainerRuntime {
  if (folder === undefined) return new SimulatedRuntime();
  const inherited = ['PATH', 'LANG', 'LC_ALL', 'TZ'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return new ProcessRuntime({
    ...{ api, clock },
    folder: join(folder, 'pods'),
    environment: Object.fromEntries(inherited),
  });
}

/** `minikube`, `node-2`, `node-3` ... if only the number is given. */
function namesOf(nodes: LocalClusterOptions['nodes']): readonly string[] {
  if (typeof nodes !== 'number') return nodes;
  return Array.from({ length: nodes }, (_, index) =>
    index === 0 ? firstNode : `node-${index + 1}`,
  );
}
