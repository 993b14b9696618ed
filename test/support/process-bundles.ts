/** Processes for suites: from source, or from bundles of `npm test`, which start in a fifth of the time. */
import { rm } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'rolldown';
import { processBundlesVariable } from '#shared/runtime/testing/process-entry.ts';

const root = join(import.meta.dirname, '../..');
/** Inside the repository, because a process looks for its own package. */
const folder = join(root, 'dist/processes-under-test');

/** All processes, with shared chunks. `npm run build` makes the bundle of a single process. */
export async function bundleProcesses(): Promise<Readonly<Record<string, string>>> {
  const mains = globSync('functions/*/main.ts', { cwd: root });
  await rm(folder, { recursive: true, force: true });
  await build({
    cwd: root,
    input: Object.fromEntries(mains.map((main) => [basename(dirname(main)), join(root, main)])),
    platform: 'node',
    logLevel: 'warn',
    output: { dir: folder, format: 'esm', minify: true, entryFileNames: '[name].js' },
  });
  return { [processBundlesVariable]: folder };
}
