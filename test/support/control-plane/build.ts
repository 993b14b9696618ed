/** Builds the control plane from its published Go modules into the cache folder. */
import { execFile } from 'node:child_process';
import { cp, chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type BinaryName,
  cacheFolder,
  kubernetesBinaries,
  type KubernetesBinary,
  versions,
} from './versions.ts';

const run = promisify(execFile);

/** Throws when there is no Go toolchain. */
export async function requireGo(): Promise<void> {
  await run('go', ['version']);
}

interface BuildStep {
  readonly what: string;
  readonly build: () => Promise<void>;
}

/** Progress is a line when a step begins and one when it is done. Throws with the words of Go. */
export async function buildMissing(
  missing: readonly BinaryName[],
  progress: (line: string) => void,
): Promise<void> {
  const steps = stepsFor(missing);
  for (const [index, { what, build }] of steps.entries()) {
    const started = Date.now();
    const position = `control plane ${index + 1}/${steps.length}`;
    progress(`${position}: building ${what}`);
    await build();
    progress(`${position}: done in ${Math.round((Date.now() - started) / 1000)} s`);
  }
}

/** Times on two cores with empty Go caches. The first of Kubernetes pays for what they share. */
function stepsFor(missing: readonly BinaryName[]): readonly BuildStep[] {
  const steps: BuildStep[] = [];
  if (missing.includes('etcd')) steps.push({ what: 'etcd (about 30 s)', build: buildEtcd });
  if (missing.includes('kwok')) steps.push({ what: 'kwok (about 1 min)', build: buildKwok });
  const kubernetes = kubernetesBinaries.filter((name) => missing.includes(name));
  for (const [index, name] of kubernetes.entries()) {
    const length = index === 0 ? 'about 4 min' : 'about 30 s';
    steps.push({ what: `${name} (${length})`, build: () => buildKubernetes(name) });
  }
  return steps;
}

async function go(folder: string, args: readonly string[], extra = {}): Promise<string> {
  const { stdout } = await run('go', [...args], {
    cwd: folder,
    env: { ...process.env, GOWORK: 'off', CGO_ENABLED: '0', ...extra },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

async function downloadModule(module: string, version: string): Promise<string> {
  const answer = await go(tmpdir(), ['mod', 'download', '-json', `${module}@${version}`]);
  return (JSON.parse(answer) as { readonly Dir: string }).Dir;
}

const stripped = ['-trimpath', '-ldflags', '-s -w'];

async function buildEtcd(): Promise<void> {
  const module = 'go.etcd.io/etcd/server/v3';
  await inFreshFolder(async (folder) => {
    await writeFile(join(folder, 'go.mod'), 'module millrace.dev/etcd\n\ngo 1.24\n');
    await go(folder, ['get', `${module}@${versions.etcd}`]);
    await install('etcd', (output) =>
      go(folder, ['build', ...stripped, '-o', output, module], { GOFLAGS: '-mod=mod' }),
    );
  });
}

async function buildKwok(): Promise<void> {
  const folder = await downloadModule('sigs.k8s.io/kwok', versions.kwok);
  await install('kwok', (output) =>
    go(folder, ['build', '-mod=readonly', ...stripped, '-o', output, './cmd/kwok']),
  );
}

async function buildKubernetes(name: KubernetesBinary): Promise<void> {
  const folder = await downloadModule('k8s.io/kubernetes', versions.kubernetes);
  await inFreshFolder(async (aside) => {
    const modfile = await writePublishedModfile(folder, aside);
    const flags = ['-mod=mod', `-modfile=${modfile}`, '-trimpath', '-ldflags', versionStamp()];
    await install(name, (output) => go(folder, ['build', ...flags, '-o', output, `./cmd/${name}`]));
  });
}

/**
 * The published module has no staging folder although its go.mod points there, so it is built
 * with a copy of go.mod whose staging replacements name the published staging modules instead
 * (v0.N.P for Kubernetes v1.N.P).
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

/** Without it the binaries call themselves v0.0.0 and refuse to work with one another. */
function versionStamp(): string {
  const [major, minor] = versions.kubernetes.slice(1).split('.');
  const stamp = 'k8s.io/component-base/version';
  const values = { gitVersion: versions.kubernetes, gitMajor: major, gitMinor: minor };
  const set = Object.entries(values).map(([key, value]) => `-X ${stamp}.${key}=${value ?? ''}`);
  return ['-s -w', ...set].join(' ');
}

/** Builds into a sibling and renames, so that a build cut short never leaves half a binary. */
async function install(name: BinaryName, build: (output: string) => Promise<unknown>) {
  await mkdir(cacheFolder(), { recursive: true });
  const partial = join(cacheFolder(), `.${name}.partial`);
  await build(partial);
  await rename(partial, join(cacheFolder(), name));
}

async function inFreshFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-build-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
