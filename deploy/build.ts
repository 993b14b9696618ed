/**
 * `npm run build`: every process as a bundle and as an image, with a list of its content, and the npm
 * package. The same sources, lock file and C runtime give the same digests.
 */
import { readdir, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleOf, versionOf, type Bundle } from './build/bundle.ts';
import { licenseList, softwareBill } from './build/bundled-packages.ts';
import { writeFiles } from './build/files.ts';
import { type Image, imageOf, writeArchive, writeLayout } from './build/image.ts';
import { type Layer, layerOf } from './build/layer.ts';
import { packPackage } from './build/npm-package.ts';
import { entryPath, imageEnvironment, nodeSettings } from './build/process-settings.ts';
import { nodePath, rootFiles, rootFolders } from './build/root-files.ts';

const help = `npm run build [-- OPTIONS]

Makes bundles, OCI images and the npm package, each with the list of what is in it (CycloneDX) and the
licences. Needs no container daemon and no registry.

  --only NAME[,NAME]  these processes alone (folders of functions/)
  --prefix PREFIX     of the images' names: PREFIX/NAME:VERSION; millrace.dev
  --out FOLDER        dist
  --gzip LEVEL        how much the layers of images are compressed, 1 to 9; 9. 1 is quick
  --no-images         bundles and package alone
  --help              this text

bundles/NAME/main.js    what an image runs; needs Node 26 and nothing else
images/                 an OCI layout with all images
images/NAME.tar         one image, for ctr images import or docker load
npm/millrace-*.tgz      for npm install and npx
`;

const root = join(import.meta.dirname, '..');
const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    prefix: { type: 'string', default: 'millrace.dev' },
    out: { type: 'string', default: join(root, 'dist') },
    // Published files are downloaded more often than built.
    gzip: { type: 'string', default: '9' },
    'no-images': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const level = Number(flags.gzip);
if (!/^[1-9]$/.test(flags.gzip)) throw new Error(`--gzip is 1 to 9, not ${flags.gzip}`);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

async function processes(): Promise<readonly string[]> {
  const all = (await readdir(join(root, 'functions')))
    .filter((name) => existsSync(join(root, 'functions', name, 'main.ts')))
    .toSorted();
  const wanted = flags.only?.split(',') ?? all;
  const unknown = wanted.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    throw new Error(`no such process: ${unknown.join(', ')}; there are ${all.join(', ')}`);
  }
  return wanted;
}

async function imageFor(bundle: Bundle, version: string, base: Layer): Promise<Image> {
  const { name, files, packages } = bundle;
  const layerFiles = [
    ...[...files].map(([path, content]) => ({ path: `app/${path}`, content })),
    { path: 'app/licenses.txt', content: licenseList(packages) },
    { path: 'app/package.json', content: '{"type":"module"}\n' },
  ];
  const app = await layerOf(layerFiles, {}, level);
  return imageOf({
    reference: `${flags.prefix}/${name}:${version}`,
    layers: [base, app],
    entrypoint: [`/${nodePath}`, ...nodeSettings, entryPath],
    env: imageEnvironment,
    labels: {
      'org.opencontainers.image.title': `millrace ${name}`,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
  });
}

async function main(): Promise<void> {
  const version = await versionOf(root);
  const bundles: Bundle[] = [];
  // Not the whole folder: it also holds releases.
  for (const made of ['bundles', 'images', 'npm'])
    await rm(join(flags.out, made), { recursive: true, force: true });
  const runtime = flags['no-images'] ? undefined : await rootFiles(root);
  for (const name of await processes()) {
    const bundle = await bundleOf(name, root);
    bundles.push(bundle);
    const bytes = [...bundle.files.values()].reduce((sum, text) => sum + text.length, 0);
    await writeFiles(join(flags.out, 'bundles', name), bundle.files);
    await writeFiles(
      join(flags.out, 'bundles'),
      new Map([
        [
          `${name}.cdx.json`,
          softwareBill({ name: `millrace-${name}`, version }, bundle.packages, runtime?.parts),
        ],
        [`${name}.licenses.txt`, licenseList(bundle.packages)],
      ]),
    );
    say(`bundle ${name}: ${megabytes(bytes)}, ${bundle.packages.length} packages`);
  }
  const cli = bundles.find(({ name }) => name === 'millrace');
  if (cli !== undefined) say(`package ${await packPackage(cli, root, join(flags.out, 'npm'))}`);
  if (runtime === undefined) return;
  const { files, fromMachine } = runtime;
  const base = await layerOf(files, rootFolders, level);
  await writeFiles(
    join(flags.out, 'images'),
    new Map([['runtime.json', `${JSON.stringify(fromMachine, null, 2)}\n`]]),
  );
  const images: Image[] = [];
  for (const bundle of bundles) {
    const image = await imageFor(bundle, version, base);
    images.push(image);
    await writeArchive(join(flags.out, 'images', `${bundle.name}.tar`), image);
    say(`image ${image.reference}: ${megabytes(image.compressedBytes)}, ${image.digest}`);
  }
  await writeLayout(join(flags.out, 'images'), images);
}

if (flags.help) say(help);
else await main();
