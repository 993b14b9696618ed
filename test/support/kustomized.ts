import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import { type Kubectl, kubectlOrThrow } from './control-plane/kubectl.ts';
import { type InstalledManifest, manifestsIn } from './manifest-identity.ts';

const root = join(import.meta.dirname, '../..');

/** The folder that the installation page names: `knative`, or a folder of `deploy`. */
export const kustomizeFolder = (name: string): string =>
  name === 'knative' ? join(root, name) : join(root, 'deploy', name);

/** Such a folder with these components, in an operator's own overlay. */
export async function kustomized(
  kubectl: Kubectl,
  folder: string,
  components: readonly string[],
): Promise<readonly InstalledManifest[]> {
  const own = await mkdtemp(join(tmpdir(), 'millrace-overlay-'));
  try {
    const path = (name: string) => relative(own, kustomizeFolder(name));
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [path(folder)],
      components: components.map((name) => path(`components/${name}`)),
    };
    await writeFile(join(own, 'kustomization.yaml'), stringify(kustomization));
    return manifestsIn(await kubectlOrThrow(kubectl, ['kustomize', own]));
  } finally {
    await rm(own, { recursive: true });
  }
}
