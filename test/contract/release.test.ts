/** The results of `npm run release`: reproducible, complete, and usable by the documented commands. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { type ParsedTarFileItem, parseTar } from 'nanotar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { documented } from '#test/support/documented-commands.ts';
import packageJson from '../../package.json' with { type: 'json' };

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const { version } = packageJson;

let folder: string;
/** A checkout of its own, with the present files as its only commit. */
let checkout: string;
let release: string;

const git = (...args: readonly string[]) =>
  run('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd: checkout });

async function checkOut(): Promise<void> {
  await mkdir(checkout);
  const left = new Set(['node_modules', 'dist', '.git']);
  for (const name of await readdir(root))
    if (!left.has(name)) await cp(join(root, name), join(checkout, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'));
  await git('init', '-q');
  await git('add', '.');
  await git('commit', '-qm', 'Begin');
}

/** Of two processes, without images. deploy/release/taken-from-build.test.ts covers these. */
async function make(name: string): Promise<string> {
  const out = join(folder, name);
  const options = ['--allow-dirty', '--no-images', '--only', 'credentials,millrace'];
  await run(process.execPath, [join(checkout, 'deploy/release.ts'), ...options, '--out', out]);
  return out;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-release-'));
  checkout = join(folder, 'checkout');
  await checkOut();
  release = await make('release');
}, 600_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

async function filesIn(of: string): Promise<readonly string[]> {
  const entries = await readdir(of, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(of, join(parentPath, name))).toSorted();
}

const inRelease = (name: string): Promise<string> => readFile(join(release, name), 'utf8');
const inSources = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

/** Run in the folder of the release. */
const type = (command: string, env: Readonly<Record<string, string>> = {}) =>
  run('sh', ['-c', command], { cwd: release, env: { ...process.env, ...env } });

describe('a release', () => {
  it('has what each way of installing needs', async () => {
    expect(await filesIn(release)).toEqual([
      'LICENSE',
      'SHA256SUMS',
      `chart/millrace-${version}.tgz`,
      'crds.yaml',
      'install-knative.yaml',
      'install.yaml',
      'kustomize.tar.gz',
      `npm/millrace-${version}.tgz`,
      'provenance.json',
      'sbom/credentials.cdx.json',
      'sbom/millrace.cdx.json',
    ]);
    for (const name of ['install.yaml', 'install-knative.yaml'])
      expect(await inRelease(name)).toBe(await inSources(`deploy/${name}`));
  });

  it('has the same bytes when it is made again', async () => {
    const again = await make('again');
    expect(await filesIn(again)).toEqual(await filesIn(release));
    for (const name of await filesIn(again)) {
      const [one, other] = [await readFile(join(release, name)), await readFile(join(again, name))];
      expect(one.equals(other), name).toBe(true);
    }
  }, 600_000);

  it('is checked by its checksums, which leave no file out', async () => {
    const { stdout } = await type(documented('sha256sum -c SHA256SUMS'));
    const files = (await filesIn(release)).filter((name) => name !== 'SHA256SUMS');
    expect(stdout).toBe(files.map((name) => `${name}: OK\n`).join(''));
  });

  it('says of each file from which commit it came, and with which tools', async () => {
    const statement = JSON.parse(await inRelease('provenance.json')) as {
      readonly subject: readonly { readonly name: string; readonly digest: { sha256: string } }[];
    };
    const { stdout: head } = await git('rev-parse', 'HEAD');
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {
        buildDefinition: {
          externalParameters: { images: false, only: 'credentials,millrace', allowDirty: true },
          resolvedDependencies: expect.arrayContaining([
            expect.objectContaining({ name: 'source', digest: { gitCommit: head.trim() } }),
            expect.objectContaining({ name: 'package-lock.json' }),
          ]) as unknown,
        },
        runDetails: { builder: { version: { node: process.versions.node } } },
      },
    });
    const lines = (await inRelease('SHA256SUMS')).trim().split('\n');
    const others = lines.filter((line) => !line.endsWith('  provenance.json'));
    const subjects = statement.subject.map(({ name, digest }) => `${digest.sha256}  ${name}`);
    expect(subjects).toEqual(others);
  });

  it('brings the command line as a package that npm installs', async () => {
    const env = {
      npm_config_prefix: join(folder, 'global'),
      npm_config_offline: 'true',
      npm_config_omit: 'optional',
    };
    await type(documented('npm install --global ./npm/millrace-*.tgz'), env);
    const installed = join(folder, 'global/bin/millrace');
    expect((await run(installed, ['--version'])).stdout.trim()).toBe(version);
    expect((await run(installed, ['crds'])).stdout).toBe(await inRelease('crds.yaml'));
  });
});

describe('an archive of a release', () => {
  const entries = async (name: string): Promise<readonly ParsedTarFileItem[]> =>
    parseTar(gunzipSync(await readFile(join(release, name))));
  const textsIn = async (name: string): Promise<ReadonlyMap<string, string>> =>
    new Map(
      (await entries(name)).flatMap((each) =>
        each.type === 'file' ? [[each.name, each.text] as const] : [],
      ),
    );

  it.each([`chart/millrace-${version}.tgz`, 'kustomize.tar.gz'])(
    '(%s) names no time and no user, and is sorted',
    async (name) => {
      const all = await entries(name);
      const names = all.map((entry) => entry.name);
      expect(names.length).toBeGreaterThan(20);
      expect(names).toEqual(names.toSorted());
      const attributes = all.map(({ attrs }) => [attrs?.mtime, attrs?.uid, attrs?.gid]);
      expect(new Set(attributes.map(String))).toEqual(new Set(['0,0,0']));
    },
  );

  it('is the chart below its name, as in the sources', async () => {
    const chart = await textsIn(`chart/millrace-${version}.tgz`);
    const files = await filesIn(join(root, 'deploy/chart'));
    expect([...chart.keys()].toSorted()).toEqual(files.map((path) => `millrace/${path}`));
    for (const path of files)
      expect(chart.get(`millrace/${path}`), path).toBe(await inSources(`deploy/chart/${path}`));
  });

  it('is the folders of kustomize, with everything that they name', async () => {
    const manifests = await textsIn('kustomize.tar.gz');
    const present = new Set([...manifests.keys()].flatMap((path) => [path, dirname(path)]));
    for (const [path, text] of manifests) {
      expect(text, path).toBe(await inSources(path.replace('millrace/', '')));
      if (!/kustomization\.yaml$/i.test(path)) continue;
      const { resources = [], components = [] } = parse(text) as {
        readonly resources?: readonly string[];
        readonly components?: readonly string[];
      };
      for (const named of [...resources, ...components])
        expect(present, `${path}: ${named}`).toContain(normalize(join(dirname(path), named)));
    }
    expect(present).toContain('millrace/knative/services.yaml');
    expect(present).toContain('millrace/deploy/overlays/ha/kustomization.yaml');
    expect(present).toContain('millrace/deploy/redis/users.acl');
  });
});

it('a release into a folder of something else is refused, which stays as it is', async () => {
  await mkdir(join(folder, 'precious'));
  await writeFile(join(folder, 'precious/file'), 'precious');
  await expect(make('precious')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /precious holds something else than a release\. Next: /,
    ) as unknown,
  });
  expect(await readdir(join(folder, 'precious'))).toEqual(['file']);
});

it('a release of what is not committed is refused, and leaves nothing behind', async () => {
  await writeFile(join(checkout, 'deploy/news.ts'), '');
  const made = run(process.execPath, [join(checkout, 'deploy/release.ts')]);
  await expect(made).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/not committed.*\n[^]*No release of .* was made/) as unknown,
  });
  expect(await readdir(checkout)).not.toContain('dist');
});
