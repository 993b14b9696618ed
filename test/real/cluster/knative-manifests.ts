/** The manifests in the modules of Knative, applied with images of the programs that were built here. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { eachBounded } from '#shared/kube/bounded.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { importProgram } from './images.ts';
import { type KnativePart, obtainKnative } from './knative-programs.ts';
import type { RealCluster } from './real-cluster.ts';

export const knativeImage = (part: KnativePart, program: string): string =>
  `dev.local/knative-${part}-${program}:1`;

/** While one is compressed the node unpacks another one. */
const atOnce = 2;

export async function importKnative(
  cluster: RealCluster,
  part: KnativePart,
  progress: (line: string) => void,
): Promise<void> {
  const programs = await obtainKnative(part, progress);
  const { errors } = await eachBounded(programs, atOnce, (program) =>
    importProgram(cluster, knativeImage(part, basename(program)), program),
  );
  if (errors.length > 0) throw errors[0];
}

/** In their manifests images are named by what they are built of. */
export async function applyKnative({ ask }: RealCluster, files: readonly string[]): Promise<void> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const stream = texts
    .join('\n---\n')
    .replaceAll(
      /ko:\/\/knative\.dev\/(serving|eventing)\/cmd\/([\w/]+)/g,
      (_, part: KnativePart, path: string) => knativeImage(part, basename(path)),
    );
  await ask(['apply', '--server-side', '--force-conflicts', '-f', '-'], stream);
}

/** As {@link applyKnative}; the kinds are served when it returns. */
export async function applyDefinitions(
  cluster: RealCluster,
  files: readonly string[],
): Promise<void> {
  await applyKnative(cluster, files);
  await cluster.ask(['wait', '--for=condition=Established', 'crd', '--all', kubectlPatience]);
}

export async function manifestsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith('.yaml')).map((name) => join(folder, name));
}
