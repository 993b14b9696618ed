/** Programs from Go modules that tests need: from the cache folder, else built there once. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { go, intoFolder, requireGo, withProgress } from './control-plane/build.ts';
import { withBuildLock } from './control-plane/build-lock.ts';
import { inCache } from './control-plane/versions.ts';

/** The result of one build. */
export interface Build {
  readonly names: readonly string[];
  /** Writes all programs into the folder. */
  readonly run: (output: string) => Promise<unknown>;
}

export interface GoPrograms {
  /** For progress lines. */
  readonly of: string;
  /** Below the cache folder; contains the version. */
  readonly folder: readonly string[];
  readonly builds: readonly Build[];
}

/** Returns the folder with all programs. Throws if one must be built and Go is missing. */
export async function obtainPrograms(
  { of, folder: path, builds }: GoPrograms,
  progress: (line: string) => void,
): Promise<string> {
  const folder = inCache(...path);
  const lacks = ({ names }: Build): boolean =>
    !names.every((name) => existsSync(join(folder, name)));
  if (!builds.some(lacks)) return folder;
  await requireGo();
  await withBuildLock(folder, progress, async () => {
    // Another process may have built some of them meanwhile.
    for (const { names, run } of builds.filter(lacks)) {
      await withProgress(`${of}: ${names.join(', ')}`, progress, () =>
        intoFolder(folder, names, run),
      );
    }
  });
  return folder;
}

export interface Packages {
  readonly packages: readonly string[];
  readonly flags: readonly string[];
}

/** Installs the programs of packages, with their versions, into a folder. */
export function goInstall(GOBIN: string, { packages, flags }: Packages): Promise<string> {
  return go(tmpdir(), ['install', ...flags, ...packages], { GOBIN });
}
