/**
 * `npm run release`: one folder with everything for an installation, checksums, and provenance. The same commit,
 * Node, npm and C runtime give the same bytes.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { readCrds } from '#functions/millrace/commands/crds.ts';
import { versionOf } from './build/bundle.ts';
import { writeFiles } from './build/files.ts';
import { generatedFiles } from './generate.ts';
import { chartPackage, kustomizeArchive } from './release/archives.ts';
import { obstaclesTo, sourceAt } from './release/obstacles.ts';
import { provenanceOf, type Subject } from './release/provenance.ts';
import { takeImages, takeSoftwareBills } from './release/taken-from-build.ts';

const root = join(import.meta.dirname, '..');
const byHand = 'https://millrace.dev/builders/by-hand';

const help = `npm run release [-- OPTIONS]

Makes one folder with everything that Millrace is installed from, for the version in package.json.

  npm run release
  npm run release -- --builder https://ci.example.com/millrace --out /srv/millrace

  --out FOLDER        dist/release/VERSION; a release that is there is replaced
  --builder URI       who makes the release, as the provenance names it;
                      ${byHand}
  --only NAME[,NAME]  images and SBOMs of these processes alone (folders of functions/);
                      millrace is needed for the npm package
  --gzip LEVEL        how much the layers of images are compressed, 1 to 9; 9. 1 is quick
  --no-images         everything else alone
  --allow-dirty       for a trial: with changes that are not committed, or without a section in the changelog
  --help              this text

npm/millrace-VERSION.tgz             the command line, for npm install
images/NAME.tar                      one image, for ctr images import or docker load
install.yaml, install-knative.yaml   for kubectl apply --server-side -f
crds.yaml                            the kinds and their admission policies alone
chart/millrace-VERSION.tgz           for helm install
kustomize.tar.gz                     base, overlays and components, for kubectl apply -k
sbom/NAME.cdx.json                   what is in each image (CycloneDX)
provenance.json                      the commit and the tools that made it (in-toto, SLSA), unsigned
SHA256SUMS                           of all files, for sha256sum -c
`;

function flagsOf(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      out: { type: 'string' },
      builder: { type: 'string', default: byHand },
      only: { type: 'string' },
      gzip: { type: 'string', default: '9' },
      'no-images': { type: 'boolean', default: false },
      'allow-dirty': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;
}

const sha256 = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('hex');

/** Every file below the folder, sorted by path. */
async function filesBelow(folder: string): Promise<readonly Subject[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  return Promise.all(
    paths
      .toSorted()
      .map(async (name) => ({ name, sha256: sha256(await readFile(join(folder, name))) })),
  );
}

async function main(flags: ReturnType<typeof flagsOf>): Promise<void> {
  const version = await versionOf(root);
  const source = await sourceAt(root);
  const obstacles = await obstaclesTo(version, root, source);
  for (const obstacle of obstacles) process.stderr.write(`${obstacle}\n`);
  if (obstacles.length > 0 && !flags['allow-dirty'])
    throw new Error(`No release of ${version} was made; --allow-dirty makes one for a trial.`);

  const images = !flags['no-images'];
  const out = flags.out ?? join(root, 'dist/release', version);
  if (!existsSync(join(out, 'SHA256SUMS')) && existsSync(out) && (await readdir(out)).length > 0)
    throw new Error(`--out ${out} holds something else than a release. Next: name a new folder.`);
  if (!URL.canParse(flags.builder))
    throw new Error(`--builder ${flags.builder} is no URI. Next: name one, such as ${byHand}.`);
  // An unfinished release never has the final name.
  const folder = `${out}.unfinished`;
  await rm(folder, { recursive: true, force: true });
  const build = [join(root, 'deploy/build.ts'), '--out', folder, '--gzip', flags.gzip];
  if (!images) build.push('--no-images');
  if (flags.only !== undefined) build.push('--only', flags.only);
  const { status } = spawnSync(process.execPath, build, { stdio: 'inherit' });
  if (status !== 0) throw new Error('The build failed; its own words are above.');

  const built = images ? await takeImages(join(folder, 'images')) : { images: [], runtime: [] };
  await takeSoftwareBills(join(folder, 'bundles'), join(folder, 'sbom'));
  const generated = await generatedFiles();
  await writeFiles(
    folder,
    new Map<string, string | Uint8Array>([
      ...[...generated]
        .filter(([path]) => /^deploy\/install(-knative)?\.yaml$/.test(path))
        .map(([path, content]) => [basename(path), content] as const),
      ['crds.yaml', await readCrds()],
      [`chart/millrace-${version}.tgz`, await chartPackage(generated)],
      ['kustomize.tar.gz', await kustomizeArchive(generated)],
    ]),
  );
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));

  const lock = await readFile(join(root, 'package-lock.json'));
  const npm = execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim();
  const provenance = provenanceOf([...(await filesBelow(folder)), ...built.images], {
    source,
    parameters: {
      images,
      gzip: flags.gzip,
      only: flags.only ?? null,
      allowDirty: flags['allow-dirty'],
    },
    ingredients: [{ name: 'package-lock.json', sha256: sha256(lock) }, ...built.runtime],
    builder: { id: flags.builder, version: { node: process.versions.node, npm } },
  });
  await writeFiles(folder, new Map([['provenance.json', provenance]]));
  const files = await filesBelow(folder);
  const sums = files.map(({ name, sha256: sum }) => `${sum}  ${name}\n`).join('');
  await writeFiles(folder, new Map([['SHA256SUMS', sums]]));

  await rm(out, { recursive: true, force: true });
  await mkdir(dirname(out), { recursive: true });
  await rename(folder, out);
  process.stdout.write(
    `release ${version} of ${source.revision.slice(0, 12)}: ${files.length} files in ${out}\n` +
      `It is not signed; CONTRIBUTING.md, "Make a release", has the next steps.\n`,
  );
}

try {
  const flags = flagsOf(process.argv.slice(2));
  if (flags.help) process.stdout.write(help);
  else await main(flags);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
