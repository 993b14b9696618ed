/**
 * A real Kueue manager beside a test control plane, on 127.0.0.1. Its definitions are applied, its webhooks are called
 * by URL, and it runs outside the cluster. It is ready after a second.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { type Kubectl, kubectlOrThrow } from '../control-plane/kubectl.ts';
import { freePorts } from '../free-ports.ts';
import { ManagedProcess } from '../managed-process.ts';
import { startOrphanGuard } from '../orphan-guard.ts';
import { kueueConfiguration, kueueNamespace } from './configuration.ts';
import { downloadKueue } from './program.ts';
import { kueueWebhooks } from './webhooks.ts';

export interface KueueOptions {
  readonly cluster: { readonly kubectl: Kubectl; readonly adminKubeconfig: string };
  /** Path of the manager. */
  readonly program: string;
}

export interface Kueue {
  readonly logFile: string;
  /** Undefined: it is not running. */
  readonly pid: () => number | undefined;
  /** Sends the signal (default SIGKILL), and waits until the manager has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts a killed manager with these members of its configuration replaced. Resolves when it is ready. */
  start(otherwise?: object): Promise<void>;
  /** Ends the manager. Its webhooks stay registered, so stop the control plane next. */
  stop(): Promise<void>;
}

export async function startKueue({ cluster, program }: KueueOptions): Promise<Kueue> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-kueue-'));
  const [health = 0, webhook = 0] = await freePorts(2);
  const authority = await writeCertificate(folder);
  const certificates = join(folder, 'certificates');
  const configuration = join(folder, 'configuration.yaml');
  await installDefinitions(cluster.kubectl);
  const guard = startOrphanGuard(folder);
  const manager = new ManagedProcess({
    ...withMetricsCertificate(certificates, [
      program,
      `--kubeconfig=${cluster.adminKubeconfig}`,
      `--config=${configuration}`,
    ]),
    logFile: join(folder, 'manager.log'),
    guard,
  });
  const start = async (otherwise: object = {}): Promise<void> => {
    const usual = kueueConfiguration({ health, webhook }, certificates);
    await writeFile(configuration, stringify({ ...usual, ...otherwise }));
    manager.start();
    await manager.waitUntil(() => isReady(health));
  };
  const stop = async (): Promise<void> => {
    await manager.stop();
    guard.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await start();
    const sources = await downloadKueue();
    await apply(cluster.kubectl, await kueueWebhooks(sources, { port: webhook, authority }));
    const { logFile } = manager;
    return { logFile, pid: () => manager.pid, kill: (signal) => manager.kill(signal), start, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeCertificate(folder: string): Promise<string> {
  const { cert, key } = createOwnCertificate(Date.now());
  const certificates = join(folder, 'certificates');
  await mkdir(certificates);
  await writeFile(join(certificates, 'tls.crt'), cert);
  await writeFile(join(certificates, 'tls.key'), key, { mode: 0o600 });
  return cert;
}

/**
 * The manager loads a metrics certificate from a fixed path even if it serves no metrics. So it gets the path in a
 * mount namespace with its own /etc.
 */
function withMetricsCertificate(
  certificates: string,
  command: readonly string[],
): { readonly command: string; readonly args: readonly string[] } {
  const script = [
    'mount -t tmpfs none /etc',
    'mkdir -p /etc/kueue/metrics',
    `cp -r "$0" /etc/kueue/metrics/certs`,
    'exec "$@"',
  ].join(' && ');
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const args = [...asRoot, '--mount', 'sh', '-c', script, certificates, ...command];
  return { command: 'unshare', args };
}

/** The manager ends at once if one of its kinds is missing. */
async function installDefinitions(kubectl: Kubectl): Promise<void> {
  const bases = join(await downloadKueue(), 'config/components/crd/bases');
  await kubectlOrThrow(kubectl, ['apply', '--server-side', '-f', bases]);
  // kubectl fails on a definition without conditions, so this waits for the first of them.
  for (const state of ['jsonpath={.status.conditions[0].type}', 'condition=Established']) {
    await kubectlOrThrow(kubectl, ['wait', `--for=${state}`, '--timeout=60s', '-f', bases]);
  }
  const metadata = { name: kueueNamespace };
  await apply(kubectl, [{ apiVersion: 'v1', kind: 'Namespace', metadata }]);
}

async function apply(kubectl: Kubectl, items: readonly object[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectlOrThrow(kubectl, ['apply', '--server-side', '-f', '-'], { input });
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false;
  }
}
