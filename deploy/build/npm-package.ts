/** The npm package: the command line as a bundle, the examples that it prints, and Node. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { licenseList, softwareBill } from './bundled-packages.ts';
import type { Bundle } from './bundle.ts';
import { writeFiles } from './files.ts';

const run = promisify(execFile);

/** Fields of the project's manifest that the package keeps. */
const passedOn = [
  'name',
  'version',
  'description',
  'homepage',
  'license',
  'type',
  'bin',
  'optionalDependencies',
] as const;

/** Returns the path of the package. */
export async function packPackage(bundle: Bundle, root: string, out: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-package-'));
  try {
    await fill(folder, bundle, root);
    await mkdir(out, { recursive: true });
    const { stdout } = await run('npm', ['pack', folder, '--pack-destination', out, '--silent']);
    return join(out, stdout.trim());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(folder: string, bundle: Bundle, root: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  const own = Object.fromEntries(passedOn.map((field) => [field, manifest[field]]));
  const launchers = Object.values(manifest.bin);
  for (const path of [
    ...launchers,
    'deploy/crds',
    'deploy/examples',
    'deploy/policies',
    'docs/reference/output',
    'samples',
    'LICENSE',
    'README.md',
    'SECURITY.md',
  ]) {
    await cp(join(root, path), join(folder, path), { recursive: true });
  }
  await writeFiles(join(folder, 'functions/millrace'), bundle.files);
  const { name, version } = manifest;
  await writeFiles(
    folder,
    new Map([
      ['licenses.txt', licenseList(bundle.packages)],
      ['sbom.cdx.json', softwareBill({ name, version }, bundle.packages)],
    ]),
  );
  const imports = { '#package.json': './package.json' };
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...own, imports }, null, 2)}\n`,
  );
}

type Manifest = Readonly<Record<(typeof passedOn)[number], unknown>> & {
  readonly name: string;
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
};
