import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../package-root.ts';

/**
 * The CustomResourceDefinitions of our kinds and their admission policies as one YAML stream. They are read as
 * `npm run generate` has written them: to render them takes five times as long as all the rest of the command.
 */
export async function readCrds(): Promise<string> {
  const [definitions, policies] = await Promise.all(
    ['crds', 'policies'].map((folder) => manifestsOf(join(packageRoot, 'deploy', folder))),
  );
  return [...(definitions ?? []), ...(policies ?? [])].join('---\n');
}

/** Without the comment in their first line. */
async function manifestsOf(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const texts = names.map((name) => readFile(join(folder, name), 'utf8'));
  return (await Promise.all(texts)).map((text) => text.replace(/^#.*\n/, ''));
}
