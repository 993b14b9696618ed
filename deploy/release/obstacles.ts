/** Conditions for a release, so that its version and commit identify its content. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Source {
  /** The commit, 40 hex digits. */
  readonly revision: string;
  /** Files that differ from the commit, by path, without ignored files. */
  readonly changed: readonly string[];
}

/** Throws if `root` is not a git checkout with a commit. */
export async function sourceAt(root: string): Promise<Source> {
  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', ['-C', root, ...args])).stdout;
  const revision = (await git('rev-parse', 'HEAD')).trim();
  const status = await git('status', '--porcelain', '-z', '--no-renames');
  // Each entry is two letters of state, a space and the path.
  const entries = status.split('\0').filter((entry) => entry !== '');
  return { revision, changed: entries.map((entry) => entry.slice(3)) };
}

/** Each entry says what is wrong and what to do next. Empty: the release can be made. */
export async function obstaclesTo(
  version: string,
  root: string,
  { changed }: Source,
): Promise<readonly string[]> {
  const obstacles: string[] = [];
  if (changed.length > 0) {
    const [first, ...rest] = changed;
    const more = rest.length === 0 ? '' : ` and ${rest.length} more`;
    obstacles.push(
      `${first}${more} not committed: the release would not be what its commit says. ` +
        'Next: commit it, or make the release in a fresh clone.',
    );
  }
  if (sectionOf(version, await readFile(join(root, 'CHANGELOG.md'), 'utf8')) === undefined) {
    obstacles.push(
      `CHANGELOG.md has no section "## ${version}" with text in it. ` +
        `Next: rename "## Unreleased" to "## ${version} - YYYY-MM-DD", put a new "## Unreleased" above it, and commit.`,
    );
  }
  return obstacles;
}

/** The changelog's section on a version. Undefined: it is missing or empty. */
export function sectionOf(version: string, changelog: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  for (const section of sections) {
    const [title = '', ...lines] = section.split('\n');
    const text = lines.join('\n').trim();
    if (title.split(' ')[0] === version && text !== '') return text;
  }
  return undefined;
}
