import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { generatedFiles } from '../../deploy/generate.ts';
import lock from '../../package-lock.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');
const { version } = packageJson;

/** Versions that never change: those of recordings, measurements and samples in tests. */
const ofItsTime =
  /^(CHANGELOG\.md|package(-lock)?\.json)$|^docs\/performance\.|\.test\.ts$|\.ndjson$/;

/** Not part of the sources. */
const left = new Set(['node_modules', 'dist', 'coverage', '.git', '.cache', 'results']);

/** The line means the version of Millrace. Other products have the same version by chance. */
const ours = new RegExp(
  `(millrace|our|version)[^\\n]{0,40}[^\\d.]${version.replaceAll('.', '\\.')}(?![\\d.]*\\d)`,
  'i',
);

it('the version of package.json is that of the lock file', () => {
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
});

it('the version of package.json is repeated by generated files alone', async () => {
  const generated = await generatedFiles();
  const files = globSync('**', {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name }) => left.has(name),
  })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
  const repeating = files.filter((path) => ours.test(readFileSync(join(root, path), 'utf8')));
  expect(repeating).toContain('deploy/chart/Chart.yaml');
  expect(repeating).toContain('deploy/install.yaml');
  expect(repeating.filter((path) => !generated.has(path) && !ofItsTime.test(path))).toEqual([]);
});
