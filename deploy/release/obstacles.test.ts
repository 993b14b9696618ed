import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { obstaclesTo, sectionOf, sourceAt } from './obstacles.ts';

const run = promisify(execFile);

describe('obstacles to a release', () => {
  let folder: string;
  const git = (...args: readonly string[]) =>
    run('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd: folder });
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const commit = async () => {
    await git('add', '--all');
    await git('commit', '-qm', 'Change something');
  };
  const obstacles = async () => obstaclesTo('1.2.0', folder, await sourceAt(folder));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-source-'));
    await git('init', '-q');
    await write('CHANGELOG.md', '# Changelog\n\n## 1.2.0 - 2026-12-01\n\nMore speed.\n');
    await write('.gitignore', 'dist\n');
    await commit();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are none in a clean checkout whose changelog has the version', async () => {
    await write('dist', 'ignored');
    expect(await obstacles()).toEqual([]);
    const { stdout } = await git('rev-parse', 'HEAD');
    expect((await sourceAt(folder)).revision).toBe(stdout.trim());
  });

  it('are files that were changed, added or renamed since the commit', async () => {
    await write('with space', 'new');
    await write('.gitignore', 'dist\nbuild\n');
    await git('mv', 'CHANGELOG.md', 'CHANGES.md');
    const { changed } = await sourceAt(folder);
    expect(changed.toSorted()).toEqual(['.gitignore', 'CHANGELOG.md', 'CHANGES.md', 'with space']);
    await git('mv', 'CHANGES.md', 'CHANGELOG.md');
    expect(await obstacles()).toEqual([
      '.gitignore and 1 more not committed: the release would not be what its commit says. ' +
        'Next: commit it, or make the release in a fresh clone.',
    ]);
  });

  it('are a changelog without the version', async () => {
    await write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\nMore speed.\n');
    await commit();
    expect(await obstacles()).toEqual([
      'CHANGELOG.md has no section "## 1.2.0" with text in it. Next: rename "## Unreleased" to ' +
        '"## 1.2.0 - YYYY-MM-DD", put a new "## Unreleased" above it, and commit.',
    ]);
  });

  it('are a folder that is no checkout of git', async () => {
    await rm(join(folder, '.git'), { recursive: true });
    await expect(sourceAt(folder)).rejects.toThrow('not a git repository');
  });
});

it.each([
  ['its text', '## Unreleased\n\n## 1.2.0 - 2026-12-01\n\n### Added\n\nA.\n\n## 1.1.0\n\nB.\n'],
  ['its text without a date', '## 1.2.0\n### Added\n\nA.\n'],
])('the section of a version is %s', (_, changelog) => {
  expect(sectionOf('1.2.0', changelog)).toBe('### Added\n\nA.');
});

it.each([
  ['is there for a longer version alone', '## 1.2.0-rc.1\n\nA.\n'],
  ['is empty', '## 1.2.0 - 2026-12-01\n\n## 1.1.0\n\nB.\n'],
  ['is that of another version', '## 1.1.0\n\nLike 1.2.0.\n'],
])('the section of a version is missing where it %s', (_, changelog) => {
  expect(sectionOf('1.2.0', changelog)).toBeUndefined();
});
