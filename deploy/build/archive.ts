/** A compressed tar with the same bytes for the same files. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createTar, type TarFileInput } from 'nanotar';

const gzipped = promisify(gzip);

export interface ArchiveFile {
  /** From the root of the archive, without a leading slash. Never empty: tar has no other name for a folder. */
  readonly path: string;
  readonly content: Uint8Array | string;
  readonly isExecutable?: boolean;
}

interface Archive {
  readonly tar: Uint8Array;
  /** The tar, compressed. */
  readonly content: Uint8Array;
}

/** `folders`: required empty folders with their modes. `level`: of gzip, 1 to 9. */
export async function archiveOf(
  files: readonly ArchiveFile[],
  { folders = {}, level = 9 }: { folders?: Readonly<Record<string, string>>; level?: number } = {},
): Promise<Archive> {
  const tar = createTar(
    [...foldersOf(files, folders), ...files.map(entryOf)].sort((left, right) =>
      left.name < right.name ? -1 : 1,
    ),
    // Owned by root and not writable for others, so that a process in the image cannot change its files.
    { attrs: { uid: 0, gid: 0, mtime: 0 } },
  );
  return { tar, content: await gzipped(tar, { level }) };
}

function entryOf({ path, content, isExecutable = false }: ArchiveFile): TarFileInput {
  // The name of a tar entry has at most a hundred bytes.
  if (path.length > 100) throw new Error(`${path}: the path is too long for an archive`);
  if (content.length === 0) throw new Error(`${path}: an empty file looks like a folder`);
  return { name: path, data: content, attrs: { mode: isExecutable ? '755' : '644' } };
}

function foldersOf(
  files: readonly ArchiveFile[],
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
