/** The texts of the manifests that a user names. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Source {
  /** As the user named it. */
  readonly file: string;
  readonly text: string;
}

/** The file name for the path `-`. */
export const standardInput = 'standard input';

/** Reads files, folders and `-`, in this order. */
export async function sourcesAt(paths: readonly string[]): Promise<readonly Source[]> {
  return (await Promise.all(paths.map(sourcesOf))).flat();
}

/** For a folder, the manifests in it. */
async function sourcesOf(path: string): Promise<readonly Source[]> {
  if (path === '-') return [{ file: standardInput, text: await text(process.stdin) }];
  if (!(await stat(path)).isDirectory())
    return [{ file: path, text: await readFile(path, 'utf8') }];
  const names = (await readdir(path, { recursive: true })).filter((name) =>
    /\.(ya?ml|json)$/.test(name),
  );
  const files = names.sort().map((name) => join(path, name));
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(file, 'utf8') })));
}
