/**
 * A later build of Millrace, whose code differs where that may matter to an upgrade: its version, what views
 * keep of a Job, and the words of a condition. Made from these sources, so that it is there without a history.
 */
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAndImport } from './installed-images.ts';
import type { RealCluster } from './real-cluster.ts';

const root = join(import.meta.dirname, '../../..');

export const nextVersion = '999.0.0';
export const nextWords = 'every step has succeeded, says the next version';

/** Folders that a build does not read, or makes. */
const left = new Set(['node_modules', 'dist', 'test']);

interface Difference {
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
}

const differences: readonly Difference[] = [
  { file: 'package.json', from: /"version": "[^"]+"/, to: `"version": "${nextVersion}"` },
  {
    file: 'shared/subscription/keep.ts',
    from: "  'backoffLimit',\n",
    to: "  'backoffLimit',\n  'activeDeadlineSeconds',\n  'manualSelector',\n",
  },
  {
    file: 'functions/flow-advance/decide/words.ts',
    from: "Succeed: 'every step succeeded'",
    to: `Succeed: '${nextWords}'`,
  },
];

export interface NextBuild {
  /** Its command line, against the cluster. */
  readonly millrace: (...args: readonly string[]) => Promise<string>;
  remove(): Promise<void>;
}

/** Gives its images to the node. */
export async function buildNext(
  cluster: RealCluster,
  progress: (line: string) => void,
): Promise<NextBuild> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-next-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    for (const name of await readdir(root)) {
      if (left.has(name) || name.startsWith('.')) continue;
      await cp(join(root, name), join(folder, name), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const each of differences) await change(folder, each);
    await buildAndImport(cluster, progress, folder);
    return { millrace: (...args) => cluster.millraceFrom(folder, ...args), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function change(folder: string, { file, from, to }: Difference): Promise<void> {
  const path = join(folder, file);
  const before = await readFile(path, 'utf8');
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${file} has no ${String(from)} to be changed`);
  await writeFile(path, after);
}
