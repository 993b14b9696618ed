/** The results of `npm run build`, unpacked and started as on a node and by a user. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledNode } from '#test/support/bundled-node.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

interface Descriptor {
  readonly digest: string;
  readonly size: number;
}
interface Bill {
  readonly components: readonly {
    readonly name: string;
    readonly purl: string;
    /** For a package that npm installs. */
    readonly licenses?: readonly { readonly expression: string }[];
  }[];
}
interface Config {
  readonly config: {
    readonly User: string;
    readonly Entrypoint: readonly string[];
    readonly Env: readonly string[];
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

let folder: string;
let bundlesAgain: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-build-'));
  bundlesAgain = join(folder, 'again');
  const build = (...args: readonly string[]) =>
    run(process.execPath, [join(root, 'deploy/build.ts'), ...args], { cwd: root });
  // The fastest compression: the test is about the content, and about a size that even so is small.
  const quickly = ['--gzip', '1'];
  await build('--only', 'flow-admission,millrace', ...quickly, '--out', join(folder, 'dist'));
  await build('--only', 'flow-admission', '--no-images', '--out', bundlesAgain);
}, 600_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const images = () => join(folder, 'dist/images');
const blob = ({ digest }: Descriptor): Promise<Buffer> =>
  readFile(join(images(), 'blobs', digest.replace(':', '/')));
const sha256 = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

async function image(name: string) {
  const index = JSON.parse(await readFile(join(images(), 'index.json'), 'utf8')) as {
    readonly manifests: readonly (Descriptor & {
      readonly annotations: Readonly<Record<string, string>>;
    })[];
  };
  const found = index.manifests.find(({ annotations }) =>
    annotations['io.containerd.image.name']?.includes(`/${name}:`),
  );
  const manifest = JSON.parse(String(await blob(found!))) as {
    readonly config: Descriptor;
    readonly layers: readonly Descriptor[];
  };
  const config = JSON.parse(String(await blob(manifest.config))) as Config;
  return { descriptor: found!, manifest, config };
}

describe('an image', () => {
  it('consists of what its digests say, compressed below 60 MB', async () => {
    const { descriptor, manifest, config } = await image('flow-admission');
    const parts = [descriptor, manifest.config, ...manifest.layers];
    for (const part of parts) {
      const content = await blob(part);
      expect([sha256(content), content.length]).toEqual([part.digest, part.size]);
    }
    const layers = await Promise.all(manifest.layers.map(blob));
    expect(layers.map((layer) => sha256(gunzipSync(layer)))).toEqual(config.rootfs.diff_ids);
    expect(parts.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(60e6);
  });

  it('is the same in its archive, which names it', async () => {
    const { descriptor } = await image('flow-admission');
    const archive = parseTar(await readFile(join(images(), 'flow-admission.tar')));
    const index = archive.find(({ name }) => name === 'index.json');
    expect(JSON.parse(index!.text)).toMatchObject({ manifests: [{ digest: descriptor.digest }] });
  });

  it('shares Node and its libraries with every other image', async () => {
    const [one, other] = [await image('flow-admission'), await image('millrace')];
    expect(one.manifest.layers[0]).toEqual(other.manifest.layers[0]);
    expect(one.manifest.layers[1]).not.toEqual(other.manifest.layers[1]);
  });

  it('has no file that its user may write, and no shell', async () => {
    const { manifest } = await image('flow-admission');
    const layers = await Promise.all(manifest.layers.map(blob));
    const entries = layers.flatMap((layer) => parseTar(gunzipSync(layer)));
    const writable = entries.filter(({ attrs }) => (parseInt(attrs?.mode ?? '', 8) & 0o022) !== 0);
    expect(writable.map(({ name }) => name)).toEqual(['tmp/']);
    expect(entries.every(({ attrs }) => attrs?.uid === 0)).toBe(true);
    expect(entries.filter(({ name }) => /(^|\/)(sh|bash|npm|busybox)$/.test(name))).toEqual([]);
  });

  it('starts as an unprivileged user, with nothing of the machine but its kernel', async () => {
    const { manifest, config } = await image('flow-admission');
    const unpacked = join(folder, 'root');
    await mkdir(unpacked);
    for (const layer of manifest.layers) {
      const file = join(images(), 'blobs', layer.digest.replace(':', '/'));
      await run('tar', ['xzf', file, '-C', unpacked]);
    }
    const { User, Entrypoint, Env } = config.config;
    const env = Object.fromEntries(Env.map((each) => each.split('=') as [string, string]));
    const args = [`--userspec=${User}`, unpacked, ...Entrypoint, '--help'];
    const { stdout } = await run('/usr/sbin/chroot', args, { env });
    expect(stdout).toContain('flow-admission');
    expect(stdout).toContain('MILLRACE_TLS_CERT_FILE');
  });
});

describe('a bundle', () => {
  it('is started by its Dockerfile in the same way, from the bundle that this makes', async () => {
    const { config } = await image('flow-admission');
    const text = await readFile(join(root, 'deploy/Dockerfile'), 'utf8');
    const said = (instruction: string): string =>
      new RegExp(`^${instruction} (.*)$`, 'm').exec(text.slice(text.lastIndexOf('FROM')))?.[1] ??
      '';
    const { User, Entrypoint, Env } = config.config;
    expect(said('USER')).toBe(User);
    expect(said('ENV').split(' ')).toEqual(Env);
    expect(JSON.parse(said('ENTRYPOINT'))).toEqual(['node', ...Entrypoint.slice(1)]);
    const copied = /cp -r dist\/(.*)\/\. \/app/
      .exec(text)?.[1]
      ?.replace('"${PROCESS}"', 'flow-admission');
    expect(text).toContain('npm run build -- --no-images --only "${PROCESS}"');
    expect(await readdir(join(bundlesAgain, copied!))).toContain('main.js');
  });

  it('is the same when it is built again', async () => {
    const bundle = (out: string) => join(out, 'bundles/flow-admission');
    const first = bundle(join(folder, 'dist'));
    const names = await readdir(first);
    expect(names).toEqual(await readdir(bundle(bundlesAgain)));
    for (const name of names) {
      const [one, other] = await Promise.all(
        [first, bundle(bundlesAgain)].map((each) => readFile(join(each, name))),
      );
      expect(sha256(one!)).toBe(sha256(other!));
    }
  });

  it('lists the packages in it, each with its licence', async () => {
    const file = join(folder, 'dist/bundles/flow-admission.cdx.json');
    const bill = JSON.parse(await readFile(file, 'utf8')) as Bill;
    const fastify = bill.components.find(({ name }) => name === 'fastify');
    expect(fastify).toMatchObject({ licenses: [{ expression: 'MIT' }] });
    const licences = new Set(
      bill.components.flatMap(({ licenses }) => licenses?.[0]!.expression ?? []),
    );
    for (const licence of licences)
      expect(licence).toMatch(/MIT|Apache-2\.0|ISC|BSD|BlueOak|0BSD|Unlicense/);
    const names = bill.components.map(({ name }) => name);
    expect(names).not.toContain('vitest');
  });

  it('names Node and the C library where it is in an image, which brings them', async () => {
    const purls = async (out: string): Promise<readonly string[]> => {
      const file = join(out, 'bundles/flow-admission.cdx.json');
      const { components } = JSON.parse(await readFile(file, 'utf8')) as Bill;
      return components.map(({ purl }) => purl);
    };
    const alone = await purls(bundlesAgain);
    const inImage = await purls(join(folder, 'dist'));
    expect(inImage.slice(0, alone.length)).toEqual(alone);
    const [node, ...libraries] = inImage.slice(alone.length);
    expect(node).toBe(`pkg:generic/node@${bundledNode}`);
    const recorded = JSON.parse(await readFile(join(images(), 'runtime.json'), 'utf8')) as Readonly<
      Record<string, { readonly package?: string }>
    >;
    const packages = new Set(Object.values(recorded).flatMap(({ package: of }) => of ?? []));
    expect(libraries).toHaveLength(packages.size);
    for (const library of libraries) expect(library).toMatch(/^pkg:deb\/[a-z]+\/[^@]+@\d/);
  });
});

describe('the package', () => {
  it('runs in an empty folder, without anything else from npm', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    const [name = ''] = await readdir(join(folder, 'dist/npm'));
    const archive = join(folder, 'dist/npm', name);
    const args = ['install', archive, '--omit=optional', '--offline', '--no-audit'];
    await run('npm', args, { cwd: empty });
    const cli = join(empty, 'node_modules/millrace/functions/millrace/bin/millrace.js');
    const { stdout: version } = await run(process.execPath, [cli, '--version'], { cwd: empty });
    expect(name).toBe(`millrace-${version.trim()}.tgz`);
    const { stdout: definitions } = await run(process.execPath, [cli, 'crds'], { cwd: empty });
    expect(definitions).toContain('name: jobflows.api.practice.com');
    // The examples are part of the package.
    const asked = run(process.execPath, [cli, 'demo', 'no-such-example'], { cwd: empty });
    await expect(asked).rejects.toThrow('jobflow-example');
  });
});
