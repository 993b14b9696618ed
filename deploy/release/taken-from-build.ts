/** The files that a release takes from the folder of `npm run build`, and those that it leaves. */
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FromMachine } from '../build/root-files.ts';
import type { Ingredient, Subject } from './provenance.ts';

interface Taken {
  /** The references of the images in a registry. */
  readonly images: readonly Subject[];
  /** Inputs from the building machine. */
  readonly runtime: readonly Ingredient[];
}

/**
 * Leaves only the archive of each image in the folder, because the layout has the same images again.
 */
export async function takeImages(folder: string): Promise<Taken> {
  const json = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(folder, name), 'utf8'));
  const runtime = (await json('runtime.json')) as Readonly<Record<string, FromMachine>>;
  const { manifests } = (await json('index.json')) as {
    readonly manifests: readonly {
      readonly digest: string;
      readonly annotations: { readonly 'io.containerd.image.name': string };
    }[];
  };
  for (const part of ['runtime.json', 'index.json', 'oci-layout', 'blobs'])
    await rm(join(folder, part), { recursive: true });
  return {
    images: manifests.map(({ digest, annotations }) => ({
      name: annotations['io.containerd.image.name'],
      sha256: digest.replace('sha256:', ''),
    })),
    runtime: Object.entries(runtime).map(([name, from]) => ({ name, ...from })),
  };
}

/** Keeps the SBOM of each bundle, because the code itself is in the images. */
export async function takeSoftwareBills(bundles: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of await readdir(bundles))
    if (name.endsWith('.cdx.json')) await rename(join(bundles, name), join(to, name));
  await rm(bundles, { recursive: true });
}
