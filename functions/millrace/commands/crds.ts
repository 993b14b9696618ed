import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../package-root.ts';

/**
 * The CustomResourceDefinitions of Millrace's kinds and their admission policies as one YAML stream. The files that
 * `npm run generate` wrote are read, because rendering takes five times as long as the rest of the command.
 */
export async function readCrds(): Promise<string> {
  const [definitions, policies] = await Promise.all(
    ['crds', 'policies'].map((folder) => manifestsOf(join(packageRoot, 'deploy', folder))),
  );
  return [...(definitions ?? []), ...(policies ?? [])].join('---\n');
}

/** Leaves out the comment in the first line of each file. */
async function manifestsOf(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const texts = names.map((name) => readFile(join(folder, name), 'utf8'));
  return (await Promise.all(texts)).map((text) => text.replace(/^#.*\n/, ''));
}
