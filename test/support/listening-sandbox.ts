/** A sandbox as in `millrace up`, but without Millrace: API, controllers and three nodes. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createNodes,
  createSandbox,
  kubeconfigFor,
  KubeletLogs,
  kueueDefinitions,
  listen,
  newToken,
  type Sandbox,
  SimulatedRuntime,
  startControllers,
} from '#sandbox';
import type { NewObject } from '#shared/domain/objects.ts';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { resources } from '#shared/domain/resources.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';

export interface ListeningSandbox {
  readonly sandbox: Sandbox;
  readonly url: string;
  /** Path of the file. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

export interface ListeningSandboxOptions {
  /** Whether nodes, Jobs and Pods are simulated; default true. Without that there are no nodes. */
  readonly controllers?: boolean;
  /** Whether queues of Kueue are served; default false. */
  readonly kueue?: boolean;
}

async function installKueueKinds(sandbox: Sandbox): Promise<void> {
  const client = sandbox.client({ user: 'test', fieldManager: 'test' });
  for (const definition of kueueDefinitions) {
    await client.create(resources.CustomResourceDefinition, definition as unknown as NewObject);
  }
}

/** On a free loopback port. */
export async function startListeningSandbox({
  controllers: hasControllers = true,
  kueue = false,
}: ListeningSandboxOptions = {}): Promise<ListeningSandbox> {
  const clock = systemClock;
  const random = Math.random;
  const sandbox = createSandbox({ clock, random });
  const { api } = sandbox;
  const runtime = new SimulatedRuntime();
  if (hasControllers) createNodes(api, 3);
  if (kueue) await installKueueKinds(sandbox);
  const controllers = hasControllers
    ? startControllers({
        ...{ api, clock, random, runtime, kueue },
        onError: ({ controller, key, error }) => {
          process.stderr.write(`${controller} ${key}: ${String(error)}\n`);
        },
      })
    : undefined;
  const logs = new KubeletLogs(runtime, clock);
  const token = newToken();
  const certificate = createOwnCertificate(clock.now());
  const listening = await listen({ api, logs, token, certificate, host: '127.0.0.1', port: 0 });
  const folder = await mkdtemp(join(tmpdir(), 'millrace-sandbox-'));
  const kubeconfig = join(folder, 'kubeconfig.yaml');
  await writeFile(
    kubeconfig,
    kubeconfigFor({ url: listening.url, token, cert: certificate.cert }),
    { mode: 0o600 },
  );
  const stop = async (): Promise<void> => {
    await listening.close();
    await controllers?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { sandbox, url: listening.url, kubeconfig, stop };
}
