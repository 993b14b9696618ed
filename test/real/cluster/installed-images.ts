import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RealCluster } from './real-cluster.ts';

const run = promisify(execFile);
const sources = join(import.meta.dirname, '../../..');

/** Builds the images of every process from these or other sources, and gives them to the node. */
export async function buildAndImport(
  cluster: Pick<RealCluster, 'importImage'>,
  progress: (line: string) => void,
  root = sources,
): Promise<void> {
  const out = await mkdtemp(join(tmpdir(), 'millrace-images-'));
  try {
    progress('millrace: building images');
    // They never leave this machine, and the next step waits for them.
    const args = [join(root, 'deploy/build.ts'), '--gzip', '1', '--out', out];
    const { stdout } = await run(process.execPath, args);
    for (const line of stdout.matchAll(/^image .*(?=, sha256)/gm)) progress(line[0]);
    const folder = join(out, 'images');
    const archives = (await readdir(folder)).filter((name) => name.endsWith('.tar'));
    for (const name of archives) await cluster.importImage(join(folder, name));
    progress(`millrace: ${archives.length} images imported`);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
