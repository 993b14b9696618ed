/**
 * The end-to-end tests of the original AppWrapper controller, and the operators of the kinds that they wrap, from
 * their Go modules.
 */
import { join } from 'node:path';
import { downloadModule, go, lean } from '#test/support/control-plane/build.ts';
import { type Build, obtainPrograms } from '#test/support/go-programs.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { importProgram } from './images.ts';
import { removeNamespace } from './namespace-removal.ts';
import type { RealCluster } from './real-cluster.ts';

const modules = {
  appwrapper: ['github.com/project-codeflare/appwrapper', 'v1.2.2'],
  jobset: ['sigs.k8s.io/jobset', 'v0.8.0'],
  training: ['github.com/kubeflow/training-operator', 'v1.9.0'],
  // Only its definitions: the original's own tests expect that its resources never run.
  kuberay: ['github.com/ray-project/kuberay/ray-operator', 'v1.3.0'],
} as const;

type Module = keyof typeof modules;

function sourcesOf(module: Module): Promise<string> {
  const [path, version] = modules[module];
  return downloadModule(path, version);
}

/** Returns the path of the compiled tests. */
export async function obtainOriginalTests(progress: (line: string) => void): Promise<string> {
  return built('appwrapper', 'e2e.test', ['test', '-c'], './test/e2e', progress);
}

/** The program has the name by which the manifests of the operators start it. */
function obtainOperator(
  module: 'jobset' | 'training',
  progress: (line: string) => void,
): Promise<string> {
  const packages = { jobset: '.', training: './cmd/training-operator.v1' };
  return built(module, 'manager', ['build'], packages[module], progress);
}

async function built(
  module: Module,
  program: string,
  command: readonly string[],
  of: string,
  progress: (line: string) => void,
): Promise<string> {
  const run = async (output: string) => {
    const flags = ['-mod=readonly', ...lean(), '-o', join(output, program)];
    return go(await sourcesOf(module), [...command, ...flags, of]);
  };
  const [, version] = modules[module];
  const builds: readonly Build[] = [{ names: [program], run }];
  const folder = ['wrapped-kinds', `${module}-${version}`];
  return join(await obtainPrograms({ of: module, folder, builds }, progress), program);
}

const image = (module: Module): string => `dev.local/${module}:${modules[module][1]}`;

/** JobSet, the training operator and the definitions of KubeRay; their webhooks answer when it returns. */
export async function installOperators(
  cluster: RealCluster,
  progress: (line: string) => void,
): Promise<void> {
  const { ask, helm } = cluster;
  await importProgram(cluster, image('jobset'), await obtainOperator('jobset', progress));
  await importProgram(cluster, image('training'), await obtainOperator('training', progress));
  const settings = {
    'image.registry': 'dev.local',
    'image.repository': 'jobset',
    'image.tag': modules.jobset[1],
    'image.pullPolicy': 'Never',
    'controller.resources.requests.cpu': '10m',
    'controller.leaderElection.enable': 'false',
  };
  const chosen = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const chart = join(await sourcesOf('jobset'), 'charts/jobset');
  const place = [chart, '-n', namespaces.jobset, '--create-namespace'];
  await helm('install', 'jobset', ...place, ...chosen, '--wait', '--timeout', '150s');
  await ask(['apply', '--server-side', '-k', await trainingManifests()]);
  const training = ['-n', namespaces.training, 'deployment/training-operator'];
  await ask(['set', 'image', ...training, `training-operator=${image('training')}`]);
  await ask(['rollout', 'status', ...training, kubectlPatience]);
  await ask(['apply', '--server-side', '-f', await rayDefinitions()]);
  progress('operators of wrapped kinds: ready');
}

export async function removeOperators(cluster: RealCluster): Promise<void> {
  const { ask, helm } = cluster;
  await helm('uninstall', 'jobset', '-n', namespaces.jobset, '--wait');
  await ask(['delete', '-k', await trainingManifests(), kubectlPatience]);
  await ask(['delete', '-f', await rayDefinitions(), kubectlPatience]);
  await ask(['delete', 'crd', 'jobsets.jobset.x-k8s.io', kubectlPatience]);
  await removeNamespace(cluster, namespaces.jobset);
}

const namespaces = { jobset: 'jobset-system', training: 'kubeflow' };

async function trainingManifests(): Promise<string> {
  return join(await sourcesOf('training'), 'manifests/overlays/standalone');
}

async function rayDefinitions(): Promise<string> {
  return join(await sourcesOf('kuberay'), 'config/crd/bases');
}
