/** A copy of the project as it stands, uncommitted changes included, to break things in. */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Mutant, mutated } from './mutant.ts';

const root = join(import.meta.dirname, '../..');
const leftOut: ReadonlySet<string> = new Set(['node_modules', '.git', 'coverage', 'results']);

export class ScratchTree implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** `from`: the project, or another copy of it. */
  static async create(from = root): Promise<ScratchTree> {
    const path = await mkdtemp(join(tmpdir(), 'mutants-'));
    await cp(from, path, { recursive: true, filter: (source) => !leftOut.has(basename(source)) });
    await symlink(join(root, 'node_modules'), join(path, 'node_modules'), 'dir');
    return new ScratchTree(path);
  }

  /** Runs `work` while the file has the bug. Throws when the mutant does not fit its source. */
  async with<Result>(mutant: Mutant, work: () => Promise<Result>): Promise<Result> {
    const source = await readFile(join(this.path, mutant.file), 'utf8');
    return this.withText(mutant.file, mutated(source, mutant), work);
  }

  /** Runs `work` while the file has this text. */
  async withText<Result>(path: string, text: string, work: () => Promise<Result>): Promise<Result> {
    const file = join(this.path, path);
    const source = await readFile(file, 'utf8');
    await writeFile(file, text);
    try {
      return await work();
    } finally {
      await writeFile(file, source);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
