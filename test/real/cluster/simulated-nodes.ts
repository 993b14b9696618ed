/** Nodes without containers beside the real one, with kwok as their kubelet: their Pods run at once and for ever. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { obtainBinariesNamed } from '#test/support/control-plane/binaries.ts';
import { simulatedNode } from '#test/support/control-plane/nodes.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { importProgram } from './images.ts';
import { removeNamespace } from './namespace-removal.ts';
import type { RealCluster } from './real-cluster.ts';

const name = 'kwok';
const image = 'dev.local/kwok:1';
/** The stages of the simulated cluster, except those that end Pods. */
const stageFiles = ['node.yaml', 'pod-start.yaml', 'pod-delete.yaml'];
const stagesFolder = join(import.meta.dirname, '../../support/control-plane/stages');

/** Nothing is scheduled to them until they are uncordoned. */
export async function addSimulatedNodes(
  cluster: RealCluster,
  nodes: readonly string[],
  progress: (line: string) => void,
): Promise<void> {
  const { kwok } = await obtainBinariesNamed(['kwok'], progress);
  await importProgram(cluster, image, kwok);
  const { ask } = cluster;
  const added = nodes.map((node) => ({ ...simulatedNode(node), spec: { unschedulable: true } }));
  const manifests = [...(await kwokManifests()), ...added];
  await ask(['create', '-f', '-'], manifests.map((each) => JSON.stringify(each)).join('\n'));
  const names = nodes.map((node) => `node/${node}`);
  await ask(['wait', '--for=condition=Ready', kubectlPatience, ...names]);
}

export async function removeSimulatedNodes(
  cluster: RealCluster,
  nodes: readonly string[],
): Promise<void> {
  await cluster.ask(['delete', ...nodes.map((node) => `node/${node}`), kubectlPatience]);
  await cluster.ask(['delete', `clusterrolebinding/${name}`, kubectlPatience]);
  await removeNamespace(cluster, name);
}

async function kwokManifests(): Promise<readonly object[]> {
  const stages = await Promise.all(
    stageFiles.map(
      async (file) => [file, await readFile(join(stagesFolder, file), 'utf8')] as const,
    ),
  );
  const labels = { app: name };
  const metadata = { name, namespace: name };
  const container = {
    name,
    image,
    imagePullPolicy: 'Never',
    args: [
      '--manage-all-nodes=false',
      '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
      '--node-lease-duration-seconds=0',
      ...stageFiles.map((file) => `--config=/stages/${file}`),
    ],
    volumeMounts: [{ name: 'stages', mountPath: '/stages' }],
  };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' },
      metadata: { name },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'cluster-admin',
      },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: Object.fromEntries(stages) },
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: name,
            containers: [container],
            volumes: [{ name: 'stages', configMap: { name } }],
          },
        },
      },
    },
  ];
}
