import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RealCluster } from './real-cluster.ts';

const run = promisify(execFile);
const build = join(import.meta.dirname, '../../../deploy/build.ts');

/** Builds the images of every process, as `npm run build` does, and gives them to the node. */
export async function buildAndImport(
  cluster: Pick<RealCluster, 'importImage'>,
  progress: (line: string) => void,
): Promise<void> {
  const out = await mkdtemp(join(tmpdir(), 'millrace-images-'));
  try {
    progress('millrace: building images');
    await run(process.execPath, [build, '--out', out]);
    const folder = join(out, 'images');
    const archives = (await readdir(folder)).filter((name) => name.endsWith('.tar'));
    for (const name of archives) await cluster.importImage(join(folder, name));
    progress(`millrace: ${archives.length} images imported`);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
