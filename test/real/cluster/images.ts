/** Images that a node needs here, from programs of this machine: there is no registry. */
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { ArchiveFile } from '../../../deploy/build/archive.ts';
import { imageOf, writeArchive } from '../../../deploy/build/image.ts';
import { layerOf } from '../../../deploy/build/layer.ts';
import { defaultRedisImage } from '#shared/installation/default-settings.ts';
import { obtainRedisServer } from '#test/support/redis-binary.ts';
import type { RealCluster } from './real-cluster.ts';

const run = promisify(execFile);

export const pauseImage = 'dev.local/pause:1';
export const busyboxImage = 'docker.io/library/busybox:1.28';
export const dnsImage = 'dev.local/coredns:1';

/** Of gzip: they leave this machine never, and the next one is waited for. */
const quickly = 1;

/** Writes the archives and returns their paths. */
export async function writeNodeImages(
  folder: string,
  binaries: string,
  progress: (line: string) => void,
): Promise<readonly string[]> {
  const busybox = await pathOf('busybox');
  const redis = await obtainRedisServer(progress);
  const programs = ['busybox', 'sh', 'sleep', 'true', 'false', 'cat', 'echo'];
  const busyboxFiles = await Promise.all(programs.map((name) => program(busybox, `bin/${name}`)));
  const images: readonly (readonly [string, string, readonly ArchiveFile[], readonly string[]])[] =
    [
      ['pause', pauseImage, [await program(busybox, 'bin/sleep')], ['/bin/sleep', '2147483647']],
      ['busybox', busyboxImage, busyboxFiles, ['/bin/sh']],
      ['coredns', dnsImage, [await program(join(binaries, 'coredns'), 'coredns')], ['/coredns']],
      [
        'redis',
        defaultRedisImage,
        [await program(redis, 'bin/redis-server'), ...(await librariesOf(redis))],
        ['/bin/redis-server'],
      ],
    ];
  const paths: string[] = [];
  for (const [name, reference, files, entrypoint] of images) {
    const layers = [await layerOf(files, { tmp: '1777', data: '1777' }, quickly)];
    const image = imageOf({ reference, layers, entrypoint, env: { PATH: '/bin' }, labels: {} });
    const path = join(folder, `${name}.tar`);
    await writeArchive(path, image);
    paths.push(path);
  }
  return paths;
}

/** Gives busybox of the node another name as well. */
export async function tagBusybox(cluster: RealCluster, reference: string): Promise<void> {
  const { ctr, folder } = cluster.facts;
  await cluster.type(
    `${ctr} -a ${folder}/containerd.sock -n k8s.io images tag ${busyboxImage} ${reference}`,
  );
}

/** Gives the node an image that runs one program, by its path on this machine. */
export async function importProgram(
  { facts, importImage }: RealCluster,
  reference: string,
  path: string,
): Promise<void> {
  const name = basename(path);
  const layers = [await layerOf([await program(path, name)], { tmp: '1777' }, quickly)];
  const archive = join(facts.folder, `${name}.tar`);
  const parts = { reference, layers, entrypoint: [`/${name}`], env: {}, labels: {} };
  await writeArchive(archive, imageOf(parts));
  await importImage(archive);
  await rm(archive);
}

async function program(from: string, path: string): Promise<ArchiveFile> {
  return { path, content: await readFile(from), isExecutable: true };
}

/** The libraries that the loader of this machine takes for it. */
async function librariesOf(path: string): Promise<readonly ArchiveFile[]> {
  const { stdout } = await run('ldd', [path]);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, found = '']) => found);
  return Promise.all(libraries.map((library) => program(library, library.slice(1))));
}

async function pathOf(name: string): Promise<string> {
  const { stdout } = await run('which', [name]);
  return stdout.trim();
}
