/** Knative Serving on the real node: built from its Go module, with an ingress of our own in place of Envoy. */
import { join } from 'node:path';
import {
  applyDefinitions,
  applyKnative,
  importKnative,
  knativeImage,
  manifestsIn,
} from './knative-manifests.ts';
import { downloadKnative, downloadRequired, ingressFolder } from './knative-programs.ts';
import type { RealCluster } from './real-cluster.ts';
import { rolledOut } from './rollout.ts';

const namespace = 'knative-serving';

/** The folders of the sources that have its manifests. */
export async function downloadServing() {
  const serving = await downloadKnative('serving');
  const networking = await downloadRequired(serving, 'networking');
  const caching = await downloadRequired(serving, 'caching');
  return { serving, networking, caching };
}

/** Ready to take Knative Services when it returns; idle ones have no Pod after some 12 s. */
export async function installServing(
  cluster: RealCluster,
  progress: (line: string) => void,
): Promise<void> {
  await importKnative(cluster, 'serving', progress);
  const { serving, networking, caching } = await downloadServing();
  const core = join(serving, 'config/core');
  const ofNetworking = ['ingress', 'serverlessservice', 'certificate', 'domain-claim'];
  await applyDefinitions(cluster, [
    ...(await manifestsIn(join(core, '300-resources'))),
    ...ofNetworking.map((name) => join(networking, `config/${name}.yaml`)),
    join(caching, 'config/image.yaml'),
  ]);
  await applyKnative(cluster, [
    join(core, '100-namespace.yaml'),
    ...(await manifestsIn(join(core, '200-roles'))),
    ...['200-serviceaccount.yaml', '300-knativecertificate.yaml'].map((name) => join(core, name)),
    ...(await manifestsIn(join(core, 'configmaps'))),
    join(networking, 'config/config-network.yaml'),
    ...(await manifestsIn(join(core, 'webhooks'))),
  ]);
  for (const [name, data] of Object.entries(configuration)) {
    const patch = ['patch', 'configmap', name, '--type=merge', '-p', JSON.stringify({ data })];
    await cluster.ask(['-n', namespace, ...patch]);
  }
  const deployed = ['activator', 'autoscaler', 'controller', 'webhook'];
  await applyKnative(cluster, [
    join(core, '999-cache.yaml'),
    ...deployed.map((name) => join(core, `deployments/${name}.yaml`)),
    join(ingressFolder, 'ingress.yaml'),
  ]);
  await rolledOut(cluster, namespace, [...deployed, 'ingress']);
  progress('knative serving: ready');
}

const configuration = {
  'config-network': { 'ingress-class': 'plain.ingress.networking.knative.dev' },
  'config-domain': { 'example.test': '' },
  // No registry here could say which digest a tag stands for.
  'config-deployment': {
    'registries-skipping-tag-resolving': 'dev.local,millrace.dev',
    'queue-sidecar-image': knativeImage('serving', 'queue'),
  },
  'config-autoscaler': { 'scale-to-zero-grace-period': '6s', 'stable-window': '6s' },
};
