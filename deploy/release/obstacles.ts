/** What must be in order before a release is made, so that its version and its commit say what is in it. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Source {
  /** The commit, 40 hex digits. */
  readonly revision: string;
  /** Files that differ from the commit, by path; ignored files do not count. */
  readonly changed: readonly string[];
}

/** Throws where `root` is no checkout of git with a commit. */
export async function sourceAt(root: string): Promise<Source> {
  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', ['-C', root, ...args])).stdout;
  const revision = (await git('rev-parse', 'HEAD')).trim();
  const status = await git('status', '--porcelain', '-z', '--no-renames');
  // Each entry is two letters of state, a space and the path.
  const entries = status.split('\0').filter((entry) => entry !== '');
  return { revision, changed: entries.map((entry) => entry.slice(3)) };
}

/** Each says what is wrong, and what to do next; none: the release can be made. */
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

/** What the changelog says of a version; undefined where it has no section for it, or an empty one. */
export function sectionOf(version: string, changelog: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  for (const section of sections) {
    const [title = '', ...lines] = section.split('\n');
    const text = lines.join('\n').trim();
    if (title.split(' ')[0] === version && text !== '') return text;
  }
  return undefined;
}
