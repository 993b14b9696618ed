/** Kueue on the real node: its manager built from its Go module, installed by the chart that is in there. */
import { join } from 'node:path';
import { downloadModule, go, lean } from '#test/support/control-plane/build.ts';
import { obtainPrograms } from '#test/support/go-programs.ts';
import { importProgram } from './images.ts';
import { removeNamespace } from './namespace-removal.ts';
import type { RealCluster } from './real-cluster.ts';

const version = 'v0.19.2';
const repository = 'dev.local/kueue';

const build = ['build', '-mod=readonly', ...lean()];

/** The folder of its sources, which hold the chart too. */
export function downloadKueue(): Promise<string> {
  return downloadModule('sigs.k8s.io/kueue', version);
}

/** The path of its manager: from the cache folder, else built there once (some 3 minutes on two cores). */
export async function obtainKueue(progress: (line: string) => void): Promise<string> {
  const run = async (output: string) =>
    go(await downloadKueue(), [...build, '-o', join(output, 'manager'), './cmd/kueue']);
  const builds = [{ names: ['manager'], run }];
  const folder = await obtainPrograms(
    { of: 'kueue', folder: ['kueue', version], builds },
    progress,
  );
  return join(folder, 'manager');
}

/** Manages Jobs that have a queue label, and nothing else; its webhooks answer when it returns. */
export async function installKueue(
  cluster: RealCluster,
  progress: (line: string) => void,
): Promise<void> {
  await importProgram(cluster, `${repository}:${version}`, await obtainKueue(progress));
  const manager = 'controllerManager.manager';
  const settings = {
    [`${manager}.image.repository`]: repository,
    [`${manager}.image.tag`]: version,
    [`${manager}.image.pullPolicy`]: 'Never',
    [`${manager}.resources.requests.cpu`]: '100m',
    'managerConfig.controllerManagerConfigYaml': JSON.stringify(configuration),
  };
  const chosen = Object.entries(settings).flatMap(([name, value]) => [
    '--set-json',
    `${name}=${JSON.stringify(value)}`,
  ]);
  const place = [
    join(await downloadKueue(), 'charts/kueue'),
    '-n',
    namespace,
    '--create-namespace',
  ];
  await cluster.helm('install', 'kueue', ...place, ...chosen, '--wait', '--timeout', '150s');
  progress('kueue: ready');
}

export async function removeKueue(cluster: RealCluster): Promise<void> {
  await cluster.helm('uninstall', 'kueue', '-n', namespace);
  await removeNamespace(cluster, namespace);
}

const namespace = 'kueue-system';

const configuration = {
  apiVersion: 'config.kueue.x-k8s.io/v1beta2',
  kind: 'Configuration',
  namespace,
  health: { healthProbeBindAddress: ':8081' },
  metrics: { bindAddress: ':8443' },
  webhook: { port: 9443 },
  leaderElection: { leaderElect: false },
  integrations: { frameworks: ['batch/job'] },
};
