/** Processes as suites start them: from the sources, or from bundles that `npm test` made, which start in a fifth of the time. */
import { rm } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'rolldown';
import { processBundlesVariable } from '#shared/runtime/testing/process-entry.ts';

const root = join(import.meta.dirname, '../..');
/** Inside of the repository, since a process looks for the package that it belongs to. */
const folder = join(root, 'dist/processes-under-test');

/** Of every process, with chunks that they share. Those of one process alone are `npm run build`. */
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
