import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestExtent } from '#test/support/test-extent.ts';
import { nameOf } from './harness/script.ts';
import {
  comparedSources,
  type ConformanceRecord,
  hashOfSources,
  partOf,
  readRecord,
  scriptsToPlay,
  suites,
  writeRecord,
} from './record.ts';
import { allScripts } from './scripts/all-scripts.ts';

const root = join(import.meta.dirname, '../..');
const compared = comparedSources('conformance');
const comparedByAny = [...new Set(suites.flatMap((suite) => comparedSources(suite)))].sort();
const now: ConformanceRecord = { kubernetes: 'v1.36.3', sources: 'abc' };

describe('the scripts to play', () => {
  const played = (recorded: ConformanceRecord | undefined, extent: TestExtent) =>
    scriptsToPlay(allScripts, now, recorded, extent).scripts.length;

  it('are all unless the run may rely on the record', () => {
    expect(played(now, 'full')).toBe(allScripts.length);
  });

  it.each<[string, ConformanceRecord | undefined]>([
    ['nothing is recorded', undefined],
    ['the sources have changed', { ...now, sources: 'abd' }],
    ['the API server has another version', { ...now, kubernetes: 'v1.36.4' }],
  ])('are all when %s', (_, recorded) => {
    expect(played(recorded, 'recorded')).toBe(allScripts.length);
  });

  it('are a part when the record is of the same', () => {
    const part = partOf(allScripts, now.sources);
    expect(scriptsToPlay(allScripts, now, now, 'recorded').scripts).toEqual(part);
    expect(part.length).toBeLessThan(allScripts.length / 4);
  });

  it('are of every family, and others for other sources', () => {
    const families = (scripts: typeof allScripts) => new Set(scripts.map(({ family }) => family));
    const names = new Set<string>();
    for (let sources = 0; sources < 120; sources += 1) {
      const part = partOf(allScripts, String(sources));
      expect(families(part)).toEqual(families(allScripts));
      for (const script of part) names.add(nameOf(script));
    }
    expect(names.size).toBe(allScripts.length);
  });
});

describe('the record', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'millrace-record-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('is read as it was written, and is undefined before', () => {
    const file = join(folder, 'record.json');
    expect(readRecord('controllers', file)).toBeUndefined();
    writeRecord('controllers', now, file);
    expect(readRecord('controllers', file)).toEqual(now);
  });

  it('of one suite leaves those of the others as they are', () => {
    const file = join(folder, 'record.json');
    writeRecord('controllers', now, file);
    writeRecord('schema', { ...now, sources: 'abd' }, file);
    expect(readRecord('controllers', file)).toEqual(now);
    expect(readRecord('schema', file)?.sources).toBe('abd');
    expect(readRecord('kubectl', file)).toBeUndefined();
  });

  it('of each suite is of other sources', () => {
    expect(new Set(suites.map((suite) => hashOfSources(suite))).size).toBe(suites.length);
  });

  it('is of other sources when one of them has changed', async () => {
    await copyTo(folder);
    const before = hashOfSources('conformance', folder);
    expect(before).toBe(hashOfSources('conformance'));
    const data = join(folder, 'test/support/control-plane/stages/pod-start.yaml');
    await writeFile(data, `${await readFile(data, 'utf8')}\n`);
    expect(hashOfSources('conformance', folder)).not.toBe(before);
  });

  it('is of other sources when a package that they need has another version, and no other one', async () => {
    await copyTo(folder);
    const lock = join(folder, 'package-lock.json');
    const text = await readFile(lock, 'utf8');
    const hashAfterUpdateOf = async (name: string): Promise<string> => {
      const locked = JSON.parse(text) as { packages: Record<string, { version: string }> };
      locked.packages[`node_modules/${name}`]!.version = '99.0.0';
      await writeFile(lock, JSON.stringify(locked));
      return hashOfSources('conformance', folder);
    };
    const before = hashOfSources('conformance');
    // Packages that are imported, and their dependencies.
    for (const name of ['pino', 'sonic-boom']) {
      expect(await hashAfterUpdateOf(name), name).not.toBe(before);
    }
    expect(await hashAfterUpdateOf('@dagrejs/dagre')).toBe(before);
  });

  it('depends on both sides, on the scripts, and on all that these import and read', () => {
    expect(compared).toEqual(
      expect.arrayContaining([
        'sandbox/registry/builtin-schemas.json',
        'sandbox/sandbox.ts',
        'shared/domain/merge-patch.ts',
        'test/conformance/differences.ts',
        'test/conformance/harness/normalise.ts',
        'test/conformance/scripts/jobs.ts',
        'test/support/control-plane/components.ts',
        'test/support/control-plane/stages/pod-start.yaml',
        'test/support/control-plane/versions.ts',
      ]),
    );
  });

  it('does not depend on tests of the sandbox and on Millrace itself', () => {
    for (const suite of suites) {
      const tests = comparedSources(suite).filter((path) => path.endsWith('.test.ts'));
      expect(tests).toEqual([`test/conformance/${suite}.test.ts`]);
    }
    expect(comparedByAny.filter((path) => /^(functions|deploy)\//.test(path))).toEqual([]);
  });

  // A file that a source reads at run time is part of the comparison: list it in `readAtRunTime`.
  it('knows which of the sources read files', () => {
    const reading = comparedByAny.filter(
      (path) => path.endsWith('.ts') && /from 'node:fs(\/promises)?'/.test(textOf(path)),
    );
    expect(reading).toEqual([
      'sandbox/api/testing/our-kinds.ts',
      'sandbox/controllers/process/pod-folders.ts',
      'test/conformance/conformance.test.ts',
      'test/conformance/kubectl.test.ts',
      'test/support/control-plane/audit-policy.ts',
      'test/support/control-plane/binaries.ts',
      'test/support/control-plane/build-lock.ts',
      'test/support/control-plane/build.ts',
      'test/support/control-plane/components.ts',
      'test/support/control-plane/credentials.ts',
      'test/support/control-plane/start.ts',
    ]);
  });
});

const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

async function copyTo(folder: string): Promise<void> {
  // With everything that they import, whether it is part of the comparison or not.
  const all = ['package.json', 'package-lock.json', 'sandbox', 'shared', 'test'];
  await Promise.all(
    all.map((path) => cp(join(root, path), join(folder, path), { recursive: true })),
  );
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
}
