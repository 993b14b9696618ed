import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { documented } from '#test/support/documented-commands.ts';
import { type RealCluster, releaseOf } from './real-cluster.ts';

const run = promisify(execFile);
const sources = join(import.meta.dirname, '../../..');

/**
 * Makes a release of these sources, from which the suites install, and gives its images to the node as the page of
 * the installation says.
 */
export async function releaseAndImport(
  { facts, typeInRelease }: Pick<RealCluster, 'facts' | 'typeInRelease'>,
  progress: (line: string) => void,
): Promise<void> {
  progress('millrace: making a release');
  // The tested code need not be committed, nor be a version of the changelog.
  await made('release.ts', sources, releaseOf(facts), progress, ['--allow-dirty']);
  await typeInRelease(documented('sha256sum -c SHA256SUMS'));
  await typeInRelease(
    documented('for image in images/*.tar; do ctr --namespace k8s.io images import "$image"; done'),
  );
  progress('millrace: images imported');
}

/** Builds the images of every process from other sources, and gives them to the node. */
export async function buildAndImport(
  cluster: Pick<RealCluster, 'importImage'>,
  progress: (line: string) => void,
  root: string,
): Promise<void> {
  const out = await mkdtemp(join(tmpdir(), 'millrace-images-'));
  try {
    progress('millrace: building images');
    await made('build.ts', root, out, progress);
    const folder = join(out, 'images');
    const archives = (await readdir(folder)).filter((name) => name.endsWith('.tar'));
    for (const name of archives) await cluster.importImage(join(folder, name));
    progress(`millrace: ${archives.length} images imported`);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** They never leave this machine, and the next step waits for them: compressed as quickly as can be. */
async function made(
  program: string,
  root: string,
  out: string,
  progress: (line: string) => void,
  more: readonly string[] = [],
): Promise<void> {
  const args = [join(root, 'deploy', program), '--gzip', '1', '--out', out, ...more];
  const { stdout } = await run(process.execPath, args);
  for (const line of stdout.matchAll(/^image .*(?=, sha256)/gm)) progress(line[0]);
}
