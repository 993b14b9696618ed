/**
 * OCI images (image-spec v1.1) without a daemon or registry. They are a layout in a folder, and an archive
 * of each image for `ctr images import`, `docker load` and `skopeo copy oci-archive:`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createTar } from 'nanotar';
import { type Blob, blobOf, type Layer } from './layer.ts';
import { imageUser } from './process-settings.ts';

export interface ImageParts {
  /** `<prefix>/<name>:<version>`. */
  readonly reference: string;
  readonly layers: readonly Layer[];
  readonly entrypoint: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Annotations, by their `org.opencontainers.image.` names. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface Image {
  readonly reference: string;
  readonly digest: string;
  /** Size of a node's download: compressed layers and configuration, in bytes. */
  readonly compressedBytes: number;
  readonly blobs: readonly Blob[];
  readonly manifestBytes: number;
}

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;
const layoutFile = JSON.stringify({ imageLayoutVersion: '1.0.0' });

export function imageOf({ reference, layers, entrypoint, env, labels }: ImageParts): Image {
  const config = blobOf(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: {
        User: imageUser,
        Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
        Entrypoint: entrypoint,
        WorkingDir: '/app',
        Labels: labels,
      },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
      history: layers.map(() => ({ created_by: 'millrace build' })),
    }),
  );
  const manifest = blobOf(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: descriptor(types.config, config),
      layers: layers.map((layer) => descriptor(types.layer, layer)),
    }),
  );
  const downloaded = [config, ...layers];
  return {
    reference,
    digest: manifest.digest,
    compressedBytes: downloaded.reduce((sum, { content }) => sum + content.length, 0),
    blobs: [manifest, ...downloaded],
    manifestBytes: manifest.content.length,
  };
}

/** All images as one OCI layout, in which shared blobs are stored once. */
export async function writeLayout(folder: string, images: readonly Image[]): Promise<void> {
  for (const [path, content] of layoutFiles(images)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** One image as an archive. */
export async function writeArchive(file: string, image: Image): Promise<void> {
  const files = [...layoutFiles([image])].map(([name, data]) => ({ name, data }));
  await mkdir(dirname(file), { recursive: true });
  const attrs = { uid: 0, gid: 0, mtime: 0, mode: '644' };
  await writeFile(file, createTar(files, { attrs }));
}

function layoutFiles(images: readonly Image[]): ReadonlyMap<string, Uint8Array | string> {
  const index = {
    schemaVersion: 2,
    mediaType: types.index,
    manifests: images.map(({ reference, digest, manifestBytes }) => ({
      mediaType: types.manifest,
      digest,
      size: manifestBytes,
      platform: { architecture: 'amd64', os: 'linux' },
      annotations: {
        'io.containerd.image.name': reference,
        'org.opencontainers.image.ref.name': reference.slice(reference.lastIndexOf(':') + 1),
      },
    })),
  };
  const blobs = images.flatMap((image) => image.blobs);
  return new Map<string, Uint8Array | string>([
    ['oci-layout', layoutFile],
    ['index.json', JSON.stringify(index)],
    ...blobs.map(({ digest, content }) => [`blobs/${digest.replace(':', '/')}`, content] as const),
  ]);
}

function descriptor(mediaType: string, { digest, content }: Blob) {
  return { mediaType, digest, size: content.length };
}
