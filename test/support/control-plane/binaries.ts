/**
 * Where etcd, the Kubernetes control plane, kubectl and kwok come from.
 *
 * Order per binary: `KUBEBUILDER_ASSETS` (the envtest convention), a binary of the wanted
 * version on PATH, the cache folder, and at last one build from the Go modules into that folder.
 */
import { execFile, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import {
  access,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PartUnavailable } from '../part-unavailable.ts';

const run = promisify(execFile);

export const versions = {
  kubernetes: 'v1.36.3',
  etcd: 'v3.6.6',
  kwok: 'v0.8.0',
} as const;

/** The staging modules of Kubernetes v1.N.P are published as v0.N.P. */
const stagingVersion = versions.kubernetes.replace(/^v1/, 'v0');

const kubernetesBinaries = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
] as const;

export type BinaryName = (typeof kubernetesBinaries)[number] | 'etcd' | 'kwok';
export type Binaries = Readonly<Record<BinaryName, string>>;

const binaryNames: readonly BinaryName[] = [...kubernetesBinaries, 'etcd', 'kwok'];

/** Thrown when a binary is neither present nor can be built; the message names the way to get it. */
export class ControlPlaneUnavailable extends PartUnavailable {
  override readonly name = 'ControlPlaneUnavailable';
}

export function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const label = `kubernetes-${versions.kubernetes}_etcd-${versions.etcd}_kwok-${versions.kwok}`;
  return join(base, 'millrace', 'control-plane', label);
}

/**
 * Returns a path for every binary, building the missing ones once (about 8 minutes on two cores).
 * Throws {@link ControlPlaneUnavailable} when there is no Go toolchain to build them with.
 */
export async function obtainBinaries(progress: (line: string) => void): Promise<Binaries> {
  const found = await locate();
  if (found.missing.length === 0) return found.paths as Binaries;
  await requireGo(found.missing);
  await withBuildLock(progress, async () => {
    const { missing } = await locate();
    await buildMissing(missing, progress);
  });
  const after = await locate();
  if (after.missing.length > 0) {
    throw new ControlPlaneUnavailable(`still missing after the build: ${after.missing.join(', ')}`);
  }
  return after.paths as Binaries;
}

async function locate(): Promise<{
  paths: Partial<Record<BinaryName, string>>;
  missing: BinaryName[];
}> {
  const paths: Partial<Record<BinaryName, string>> = {};
  const missing: BinaryName[] = [];
  for (const name of binaryNames) {
    const path = await locateOne(name);
    if (path === undefined) missing.push(name);
    else paths[name] = path;
  }
  return { paths, missing };
}

async function locateOne(name: BinaryName): Promise<string | undefined> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (assets !== undefined && (await isExecutable(join(assets, name)))) return join(assets, name);
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    if ((await isExecutable(path)) && (await hasWantedVersion(name, path))) return path;
  }
  const cached = join(cacheFolder(), name);
  return (await isExecutable(cached)) ? cached : undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** A binary that happens to be on PATH is used only when its minor version is the tested one. */
async function hasWantedVersion(name: BinaryName, path: string): Promise<boolean> {
  const wanted =
    name === 'etcd' ? versions.etcd : name === 'kwok' ? versions.kwok : versions.kubernetes;
  const minor = wanted.slice(1).split('.').slice(0, 2).join('.');
  const flags = name === 'kubectl' ? ['version', '--client'] : ['--version'];
  try {
    const { stdout } = await run(path, flags, { timeout: 10_000 });
    return new RegExp(`\\bv?${minor.replace('.', '\\.')}\\.`).test(stdout);
  } catch {
    return false;
  }
}

async function requireGo(missing: readonly BinaryName[]): Promise<void> {
  try {
    await run('go', ['version']);
  } catch (cause) {
    throw new ControlPlaneUnavailable(
      `no ${missing.join(', ')} found. Install Go 1.26 or newer so that they can be built once ` +
        `into ${cacheFolder()}, or set KUBEBUILDER_ASSETS to a folder that holds them.`,
      { cause },
    );
  }
}

async function buildMissing(
  missing: readonly BinaryName[],
  progress: (line: string) => void,
): Promise<void> {
  const kubernetes = kubernetesBinaries.filter((name) => missing.includes(name));
  const steps: (readonly [string, () => Promise<void>])[] = [];
  if (missing.includes('etcd')) steps.push(['etcd (about 30 s)', buildEtcd]);
  if (missing.includes('kwok')) steps.push(['kwok (about 1 min)', buildKwok]);
  for (const group of [
    kubernetes.filter((name) => name !== 'kubectl'),
    kubernetes.filter((name) => name === 'kubectl'),
  ]) {
    if (group.length > 0) {
      steps.push([`${group.join(', ')} (minutes)`, () => buildKubernetes(group)]);
    }
  }
  for (const [index, [what, build]] of steps.entries()) {
    const started = Date.now();
    progress(`control plane ${index + 1}/${steps.length}: building ${what}`);
    await build();
    const seconds = Math.round((Date.now() - started) / 1000);
    progress(`control plane ${index + 1}/${steps.length}: done in ${seconds} s`);
  }
}

const goEnvironment = { ...process.env, GOWORK: 'off', CGO_ENABLED: '0' };
const stripped = ['-trimpath', '-ldflags', '-s -w'];

async function go(folder: string, args: readonly string[], extra = {}): Promise<string> {
  const { stdout } = await run('go', [...args], {
    cwd: folder,
    env: { ...goEnvironment, ...extra },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

async function downloadModule(module: string, version: string): Promise<string> {
  const answer = await go(tmpdir(), ['mod', 'download', '-json', `${module}@${version}`]);
  return (JSON.parse(answer) as { Dir: string }).Dir;
}

/** Builds into a sibling and renames, so that a build cut short never leaves half a binary. */
async function install(name: BinaryName, build: (output: string) => Promise<unknown>) {
  await mkdir(cacheFolder(), { recursive: true });
  const partial = join(cacheFolder(), `.${name}.partial`);
  await build(partial);
  await rename(partial, join(cacheFolder(), name));
}

async function buildEtcd(): Promise<void> {
  const module = 'go.etcd.io/etcd/server/v3';
  const folder = await mkdtemp(join(tmpdir(), 'millrace-etcd-'));
  try {
    await writeFile(join(folder, 'go.mod'), 'module millrace.dev/etcd\n\ngo 1.24\n');
    await go(folder, ['get', `${module}@${versions.etcd}`]);
    await install('etcd', (output) =>
      go(folder, ['build', ...stripped, '-o', output, module], { GOFLAGS: '-mod=mod' }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildKwok(): Promise<void> {
  const folder = await downloadModule('sigs.k8s.io/kwok', versions.kwok);
  await install('kwok', (output) =>
    go(folder, ['build', '-mod=readonly', ...stripped, '-o', output, './cmd/kwok']),
  );
}

/**
 * The published module has no staging folder although its go.mod points there, so it is built
 * with a copy of go.mod whose staging replacements name the published staging modules instead.
 */
async function buildKubernetes(names: readonly BinaryName[]): Promise<void> {
  const folder = await downloadModule('k8s.io/kubernetes', versions.kubernetes);
  const aside = await mkdtemp(join(tmpdir(), 'millrace-kubernetes-'));
  try {
    const original = await readFile(join(folder, 'go.mod'), 'utf8');
    const published = original
      .replace(/=> \.\/staging\/src\/(k8s\.io\/\S+)/g, `=> $1 ${stagingVersion}`)
      .replace(/(k8s\.io\/\S+) v0\.0\.0(?=\s)/g, `$1 ${stagingVersion}`);
    await writeFile(join(aside, 'go.mod'), published);
    await cp(join(folder, 'go.sum'), join(aside, 'go.sum'));
    await run('chmod', ['u+w', join(aside, 'go.sum')]);
    const [, minor] = versions.kubernetes.slice(1).split('.');
    const stamp = 'k8s.io/component-base/version';
    const flags = [
      '-s -w',
      `-X ${stamp}.gitVersion=${versions.kubernetes}`,
      `-X ${stamp}.gitMajor=1`,
      `-X ${stamp}.gitMinor=${minor ?? ''}`,
    ].join(' ');
    for (const name of names) {
      const modfile = `-modfile=${join(aside, 'go.mod')}`;
      const common = ['build', '-mod=mod', modfile, '-trimpath', '-ldflags', flags];
      await install(name, (output) => go(folder, [...common, '-o', output, `./cmd/${name}`]));
    }
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Only one process builds; the others wait and find the binaries in the cache afterwards. */
async function withBuildLock(
  progress: (line: string) => void,
  build: () => Promise<void>,
): Promise<void> {
  const lock = join(cacheFolder(), '.building');
  await mkdir(cacheFolder(), { recursive: true });
  let announced = false;
  while (!(await takeLock(lock))) {
    if (!announced) progress('control plane: another process is building it, waiting');
    announced = true;
    await sleep(2_000);
  }
  try {
    await build();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const holder = Number(await readFile(lock, 'utf8').catch(() => '0'));
    if (!isRunning(holder)) await rm(lock, { force: true });
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return pid > 0;
  } catch {
    return false;
  }
}

/** Streams a child's output away; used where only the exit code matters. */
export function quietly(command: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { stdio: 'ignore' });
    child.on('error', reject);
    child.on('exit', (code) => {
      resolve(code ?? 1);
    });
  });
}
