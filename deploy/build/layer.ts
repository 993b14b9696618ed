/** A layer of an image: a tar of files that gives the same bytes for the same files. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createTar, type TarFileInput } from 'nanotar';

const gzipped = promisify(gzip);

export interface LayerFile {
  /** From the root of the image, without a leading slash. Never empty: tar has no other word for a folder. */
  readonly path: string;
  readonly content: Uint8Array | string;
  readonly isExecutable?: boolean;
}

export interface Blob {
  readonly digest: string;
  readonly content: Uint8Array;
}

export interface Layer extends Blob {
  /** Of the tar itself, as the configuration of an image names it. */
  readonly diffId: string;
}

/** `folders`: those that have to be there empty, each with its mode. `level`: of gzip, 1 to 9. */
export async function layerOf(
  files: readonly LayerFile[],
  folders: Readonly<Record<string, string>>,
  level: number,
): Promise<Layer> {
  const tar = createTar(
    [...foldersOf(files, folders), ...files.map(entryOf)].sort((left, right) =>
      left.name < right.name ? -1 : 1,
    ),
    // Owned by root and changed by nobody: who runs in the image can change no file of it.
    { attrs: { uid: 0, gid: 0, mtime: 0 } },
  );
  const content = await gzipped(tar, { level });
  return { digest: digestOf(content), content, diffId: digestOf(tar) };
}

export function blobOf(content: string): Blob {
  const bytes = Buffer.from(content);
  return { digest: digestOf(bytes), content: bytes };
}

function digestOf(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

function entryOf({ path, content, isExecutable = false }: LayerFile): TarFileInput {
  // The name of a tar entry has a hundred bytes.
  if (path.length > 100) throw new Error(`${path}: the path is too long for a layer`);
  if (content.length === 0) throw new Error(`${path}: an empty file looks like a folder`);
  return { name: path, data: content, attrs: { mode: isExecutable ? '755' : '644' } };
}

function foldersOf(
  files: readonly LayerFile[],
  extra: Readonly<Record<string, string>>,
): readonly TarFileInput[] {
  const modes = new Map<string, string>();
  for (const { path } of files) {
    for (const folder of parentsOf(path)) modes.set(folder, '755');
  }
  for (const [folder, mode] of Object.entries(extra)) modes.set(`${folder}/`, mode);
  return [...modes].map(([name, mode]) => ({ name, attrs: { mode } }));
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
}
