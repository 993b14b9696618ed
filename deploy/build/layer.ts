/** A layer of an image: an archive with its two digests. */
import { createHash } from 'node:crypto';
import { archiveOf, type ArchiveFile } from './archive.ts';

export interface Blob {
  readonly digest: string;
  readonly content: Uint8Array;
}

export interface Layer extends Blob {
  /** Digest of the uncompressed tar, for the configuration of an image. */
  readonly diffId: string;
}

/** `folders`: required empty folders with their modes. `level`: of gzip, 1 to 9. */
export async function layerOf(
  files: readonly ArchiveFile[],
  folders: Readonly<Record<string, string>>,
  level: number,
): Promise<Layer> {
  const { tar, content } = await archiveOf(files, { folders, level });
  return { digest: digestOf(content), content, diffId: digestOf(tar) };
}

export function blobOf(content: string): Blob {
  const bytes = Buffer.from(content);
  return { digest: digestOf(bytes), content: bytes };
}

function digestOf(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
