/**
 * Finds etcd, the Kubernetes control plane, kubectl and kwok.
 *
 * The order for each binary: `KUBEBUILDER_ASSETS` (the envtest convention), a binary of the wanted
 * version on PATH, the cache folder, and finally one build from the Go modules into that folder.
 */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { PartUnavailable } from '../part-unavailable.ts';
import { withBuildLock } from './build-lock.ts';
import { buildMissing, requireGo } from './build.ts';
import { type BinaryName, binaryNames, cacheFolder, versionOf } from './versions.ts';

const run = promisify(execFile);

export type BinariesNamed<Name extends BinaryName> = Readonly<Record<Name, string>>;
export type Binaries = BinariesNamed<(typeof binaryNames)[number]>;

/** Thrown if a binary is missing and cannot be built; the message says how to get it. */
export class ControlPlaneUnavailable extends PartUnavailable {
  override readonly name = 'ControlPlaneUnavailable';
}

/**
 * Returns a path for every binary, and builds missing ones once (about 8 minutes on two cores).
 * Throws {@link ControlPlaneUnavailable} if they cannot be built here.
 */
export function obtainBinaries(progress: (line: string) => void): Promise<Binaries> {
  return obtainBinariesNamed(binaryNames, progress);
}

/** As {@link obtainBinaries}, for other binaries. */
export async function obtainBinariesNamed<Name extends BinaryName>(
  names: readonly Name[],
  progress: (line: string) => void,
): Promise<BinariesNamed<Name>> {
  const found = await locate(names);
  if (found.missing.length === 0) return found.paths as BinariesNamed<Name>;
  try {
    await requireGo();
    await withBuildLock(cacheFolder(), progress, async () => {
      const { missing } = await locate(names);
      await buildMissing(missing, progress);
    });
  } catch (cause) {
    throw unavailable(found.missing, cause);
  }
  const after = await locate(names);
  if (after.missing.length > 0) throw unavailable(after.missing, 'the build left them out');
  return after.paths as BinariesNamed<Name>;
}

function unavailable(missing: readonly BinaryName[], cause: unknown): ControlPlaneUnavailable {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ControlPlaneUnavailable(
    `no ${missing.join(', ')} found. Set KUBEBUILDER_ASSETS to a folder that holds them, or ` +
      `install Go 1.26 or newer (with access to a module proxy) so that they can be built once ` +
      `into ${cacheFolder()}. ${why}`,
    { cause },
  );
}

async function locate(names: readonly BinaryName[]): Promise<{
  paths: Partial<Record<BinaryName, string>>;
  missing: BinaryName[];
}> {
  const paths: Partial<Record<BinaryName, string>> = {};
  const missing: BinaryName[] = [];
  for (const name of names) {
    const path = await findBinary(name);
    if (path === undefined) missing.push(name);
    else paths[name] = path;
  }
  return { paths, missing };
}

/** Undefined: it is not on this machine. Builds nothing. */
export async function findBinary(name: BinaryName): Promise<string | undefined> {
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

/** A binary on PATH is used only if its minor version is the tested one. */
async function hasWantedVersion(name: BinaryName, path: string): Promise<boolean> {
  const minor = versionOf(name).slice(1).split('.').slice(0, 2).join('\\.');
  const flags = name === 'kubectl' ? ['version', '--client'] : ['--version'];
  try {
    const { stdout } = await run(path, flags, { timeout: 10_000 });
    return new RegExp(`\\bv?${minor}\\.`).test(stdout);
  } catch {
    return false;
  }
}
