/** Builds the control plane from its published Go modules into the cache folder. */
import { execFile } from 'node:child_process';
import { cp, chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PartUnavailable } from '../part-unavailable.ts';
import { type BinaryName, cacheFolder, versions } from './versions.ts';

const run = promisify(execFile);

/** Throws {@link PartUnavailable} if there is no Go toolchain. */
export async function requireGo(): Promise<void> {
  await run('go', ['version']).catch((cause: unknown) => {
    throw new PartUnavailable('no Go found. Install Go 1.26 or newer.', { cause });
  });
}

interface BuildStep {
  readonly what: string;
  readonly build: () => Promise<void>;
}

/** Throws with Go's own message. */
export async function buildMissing(
  missing: readonly BinaryName[],
  progress: (line: string) => void,
): Promise<void> {
  for (const { what, build } of stepsFor(missing)) {
    await withProgress(`control plane: ${what}`, progress, build);
  }
}

/** Reports the begin and end of a step, one line each. */
export async function withProgress(
  what: string,
  progress: (line: string) => void,
  build: () => Promise<void>,
): Promise<void> {
  const startMs = Date.now();
  progress(`${what}: building`);
  await build();
  progress(`${what}: done in ${Math.round((Date.now() - startMs) / 1000)} s`);
}

/** The programs of Kubernetes in one build: linking one takes one core, while others are compiled. */
function stepsFor(missing: readonly BinaryName[]): readonly BuildStep[] {
  const kubernetes = missing.filter((name) => name !== 'etcd' && name !== 'kwok');
  const steps: BuildStep[] = [];
  if (kubernetes.length > 0) {
    steps.push({ what: kubernetes.join(', '), build: () => buildKubernetes(kubernetes) });
  }
  if (missing.includes('etcd')) steps.push({ what: 'etcd', build: buildEtcd });
  if (missing.includes('kwok')) steps.push({ what: 'kwok', build: buildKwok });
  return steps;
}

/** Returns Go's output. Runs in `folder`, without cgo and without a surrounding workspace. */
export async function go(
  folder: string,
  args: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await run('go', [...args], {
    cwd: folder,
    env: { ...process.env, GOWORK: 'off', CGO_ENABLED: '0', ...extra },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** Returns the folder of the module's sources. */
export async function downloadModule(module: string, version: string): Promise<string> {
  const answer = await go(tmpdir(), ['mod', 'download', '-json', `${module}@${version}`]);
  return (JSON.parse(answer) as { readonly Dir: string }).Dir;
}

/**
 * A go.mod in `folder` with the requirements of the module in `source`, under another name. Go writes to it,
 * and the module cache is read-only.
 */
export async function writeRenamedModfile(
  source: string,
  folder: string,
  module: string,
): Promise<string> {
  const required = await readFile(join(source, 'go.mod'), 'utf8');
  const modfile = join(folder, 'go.mod');
  await writeFile(modfile, required.replace(/^module .*/m, `module ${module}`));
  await writeFile(join(folder, 'go.sum'), await readFile(join(source, 'go.sum')));
  return modfile;
}

/** No debug information in compiling and linking. */
export function lean(linkerFlags: readonly string[] = []): readonly string[] {
  return [
    '-trimpath',
    '-gcflags=all=-dwarf=false',
    `-ldflags=${['-s -w', ...linkerFlags].join(' ')}`,
  ];
}

async function buildEtcd(): Promise<void> {
  const module = 'go.etcd.io/etcd/server/v3';
  await inFreshFolder(async (folder) => {
    await writeFile(join(folder, 'go.mod'), 'module millrace.dev/etcd\n\ngo 1.24\n');
    await go(folder, ['get', `${module}@${versions.etcd}`]);
    await intoFolder(cacheFolder(), ['etcd'], (output) =>
      go(folder, ['build', ...lean(), '-o', join(output, 'etcd'), module], { GOFLAGS: '-mod=mod' }),
    );
  });
}

async function buildKwok(): Promise<void> {
  const folder = await downloadModule('sigs.k8s.io/kwok', versions.kwok);
  await intoFolder(cacheFolder(), ['kwok'], (output) =>
    go(folder, ['build', '-mod=readonly', ...lean(), '-o', join(output, 'kwok'), './cmd/kwok']),
  );
}

async function buildKubernetes(names: readonly BinaryName[]): Promise<void> {
  const folder = await downloadModule('k8s.io/kubernetes', versions.kubernetes);
  await inFreshFolder(async (aside) => {
    const modfile = await writePublishedModfile(folder, aside);
    const flags = ['-mod=mod', `-modfile=${modfile}`, ...lean(versionStamp())];
    const packages = names.map((name) => `./cmd/${name}`);
    await intoFolder(cacheFolder(), names, (output) =>
      go(folder, ['build', ...flags, '-o', `${output}/`, ...packages]),
    );
  });
}

/**
 * The published module has no staging folder, although its go.mod points there. So the build uses a copy of
 * go.mod whose replacements name the published staging modules (v0.N.P for Kubernetes v1.N.P).
 */
async function writePublishedModfile(folder: string, aside: string): Promise<string> {
  const staging = versions.kubernetes.replace(/^v1/, 'v0');
  const original = await readFile(join(folder, 'go.mod'), 'utf8');
  const published = original
    .replace(/=> \.\/staging\/src\/(k8s\.io\/\S+)/g, `=> $1 ${staging}`)
    .replace(/(k8s\.io\/\S+) v0\.0\.0(?=\s)/g, `$1 ${staging}`);
  const modfile = join(aside, 'go.mod');
  await writeFile(modfile, published);
  await cp(join(folder, 'go.sum'), join(aside, 'go.sum'));
  // Files of the module cache are read-only, and Go adds the staging modules to go.sum.
  await chmod(join(aside, 'go.sum'), 0o644);
  return modfile;
}

/** Without it the binaries report v0.0.0 and refuse to work together. */
function versionStamp(): readonly string[] {
  const [major, minor] = versions.kubernetes.slice(1).split('.');
  const stamp = 'k8s.io/component-base/version';
  const values = { gitVersion: versions.kubernetes, gitMajor: major, gitMinor: minor };
  return Object.entries(values).map(([key, value]) => `-X ${stamp}.${key}=${value ?? ''}`);
}

/** Builds into another folder and renames it, so that an interrupted build never leaves a partial binary. */
export async function intoFolder(
  folder: string,
  names: readonly string[],
  build: (output: string) => Promise<unknown>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const partial = await mkdtemp(join(folder, '.partial-'));
  try {
    await build(partial);
    for (const name of names) await rename(join(partial, name), join(folder, name));
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

export async function inFreshFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-build-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
