/** Kueue on the real node, installed by the chart of its Go module. */
import { join } from 'node:path';
import { frameworkName, queuedKinds } from '#shared/api/work/queued-kinds.ts';
import { downloadKueue, kueueVersion, obtainKueue } from '#test/support/kueue/program.ts';
import { importProgram } from './images.ts';
import { removeNamespace } from './namespace-removal.ts';
import type { RealCluster } from './real-cluster.ts';

const repository = 'dev.local/kueue';

/** Manages Jobs and the kinds of Millrace that have a queue label; its webhooks answer when it returns. */
export async function installKueue(
  cluster: RealCluster,
  progress: (line: string) => void,
): Promise<void> {
  await importProgram(cluster, `${repository}:${kueueVersion}`, await obtainKueue(progress));
  const manager = 'controllerManager.manager';
  const settings = {
    [`${manager}.image.repository`]: repository,
    [`${manager}.image.tag`]: kueueVersion,
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
  // The API server of the node passes nothing on to others, and no namespace goes while one of them does not answer.
  const visibility = ['v1beta1', 'v1beta2'].map(
    (version) => `${version}.visibility.kueue.x-k8s.io`,
  );
  await cluster.ask(['delete', 'apiservices', ...visibility]);
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
  integrations: {
    frameworks: ['batch/job'],
    externalFrameworks: queuedKinds.map(frameworkName),
  },
};
