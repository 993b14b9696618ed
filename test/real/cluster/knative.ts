/** Knative Serving on the real node: built from its Go module, with an ingress of our own in place of Envoy. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { imageOf, writeArchive } from '../../../deploy/build/image.ts';
import { layerOf } from '../../../deploy/build/layer.ts';
import { downloadKnative, ingressFolder, obtainKnative, programs } from './knative-binaries.ts';
import type { RealCluster } from './real-cluster.ts';

const imageNamed = (name: string) => `dev.local/knative-${name}:1`;

/** Ready to take Knative Services when it returns; idle ones have no Pod after some 12 s. */
export async function installKnative(
  cluster: RealCluster,
  progress: (line: string) => void,
): Promise<void> {
  const sources = await downloadKnative();
  const binaries = await obtainKnative(progress);
  await importImages(cluster, binaries);
  const apply = (stream: string) =>
    cluster.ask(['apply', '--server-side', '--force-conflicts', '-f', '-'], stream);
  const { serving, networking, caching } = sources;
  const core = join(serving, 'config/core');
  const ofNetworking = ['ingress', 'serverlessservice', 'certificate', 'domain-claim'];
  await apply(
    await streamOf([
      ...(await manifestsIn(join(core, '300-resources'))),
      ...ofNetworking.map((name) => join(networking, `config/${name}.yaml`)),
      join(caching, 'config/image.yaml'),
    ]),
  );
  await cluster.ask(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  await apply(
    await streamOf([
      join(core, '100-namespace.yaml'),
      ...(await manifestsIn(join(core, '200-roles'))),
      ...['200-serviceaccount.yaml', '300-knativecertificate.yaml'].map((name) => join(core, name)),
      ...(await manifestsIn(join(core, 'configmaps'))),
      join(networking, 'config/config-network.yaml'),
      ...(await manifestsIn(join(core, 'webhooks'))),
    ]),
  );
  for (const [name, data] of Object.entries(configuration)) {
    const patch = ['patch', 'configmap', name, '--type=merge', '-p', JSON.stringify({ data })];
    await cluster.ask(['-n', 'knative-serving', ...patch]);
  }
  const deployed = ['activator', 'autoscaler', 'controller', 'webhook'];
  await apply(
    await streamOf([
      join(core, '999-cache.yaml'),
      ...deployed.map((name) => join(core, `deployments/${name}.yaml`)),
      join(ingressFolder, 'ingress.yaml'),
    ]),
  );
  for (const name of [...deployed, 'ingress']) {
    const rollout = ['rollout', 'status', `deployment/${name}`, '--timeout=120s'];
    await cluster.ask(['-n', 'knative-serving', ...rollout]);
  }
  progress('knative: ready');
}

const configuration = {
  'config-network': { 'ingress-class': 'plain.ingress.networking.knative.dev' },
  'config-domain': { 'example.test': '' },
  // Nobody here could say which digest a tag stands for.
  'config-deployment': {
    'registries-skipping-tag-resolving': 'dev.local,millrace.dev',
    'queue-sidecar-image': imageNamed('queue'),
  },
  'config-autoscaler': { 'scale-to-zero-grace-period': '6s', 'stable-window': '6s' },
};

async function importImages(cluster: RealCluster, binaries: string): Promise<void> {
  for (const name of programs) {
    const path = `ko-app/${name}`;
    const content = await readFile(join(binaries, name));
    const layers = [await layerOf([{ path, content, isExecutable: true }], { tmp: '1777' })];
    const parts = { reference: imageNamed(name), layers, entrypoint: [`/${path}`] };
    const archive = join(cluster.facts.folder, `knative-${name}.tar`);
    await writeArchive(archive, imageOf({ ...parts, env: { PATH: '/ko-app' }, labels: {} }));
    await cluster.importImage(archive);
    await rm(archive);
  }
}

async function manifestsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith('.yaml')).map((name) => join(folder, name));
}

/** In their manifests images are named by what they are built of. */
async function streamOf(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return texts
    .join('\n---\n')
    .replaceAll(/ko:\/\/knative\.dev\/serving\/cmd\/([a-z]+)/g, (_, name: string) =>
      imageNamed(name),
    );
}
