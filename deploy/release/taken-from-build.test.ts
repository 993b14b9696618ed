import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeFiles } from '../build/files.ts';
import { imageOf, writeArchive, writeLayout } from '../build/image.ts';
import { layerOf } from '../build/layer.ts';
import { takeImages, takeSoftwareBills } from './taken-from-build.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-built-'));
});
afterEach(() => rm(folder, { recursive: true }));

const image = async (name: string, content: string) =>
  imageOf({
    reference: `millrace.dev/${name}:1.2.0`,
    layers: [await layerOf([{ path: 'app/main.js', content }], {}, 9)],
    entrypoint: ['/app/main.js'],
    env: {},
    labels: {},
  });

it('images are taken as archives, by the digests that a registry will have', async () => {
  const images = [await image('bridge', 'first'), await image('dispatcher', 'second')];
  await writeLayout(folder, images);
  await writeArchive(join(folder, 'bridge.tar'), images[0]!);
  await writeArchive(join(folder, 'dispatcher.tar'), images[1]!);
  const runtime = { 'lib/libc.so.6': { sha256: 'ab12', package: 'libc6 2.36' } };
  await writeFiles(folder, new Map([['runtime.json', JSON.stringify(runtime)]]));
  expect(await takeImages(folder)).toEqual({
    images: images.map(({ reference, digest }) => ({
      name: reference,
      sha256: digest.slice('sha256:'.length),
    })),
    runtime: [{ name: 'lib/libc.so.6', sha256: 'ab12', package: 'libc6 2.36' }],
  });
  expect((await readdir(folder)).toSorted()).toEqual(['bridge.tar', 'dispatcher.tar']);
});

it('an image has the same digest whenever it has the same files, and another for others', async () => {
  const { digest } = await image('bridge', 'first');
  expect((await image('bridge', 'first')).digest).toBe(digest);
  expect((await image('bridge', 'second')).digest).not.toBe(digest);
});

it('SBOMs are taken, and the bundles are left out', async () => {
  const bundles = [
    ['bridge/main.js', ''],
    ['bridge.cdx.json', '{}'],
    ['bridge.licenses.txt', ''],
  ] as const;
  await writeFiles(join(folder, 'bundles'), new Map(bundles));
  await takeSoftwareBills(join(folder, 'bundles'), join(folder, 'sbom'));
  expect(await readdir(folder)).toEqual(['sbom']);
  expect(await readdir(join(folder, 'sbom'))).toEqual(['bridge.cdx.json']);
});
