/** The packages in a build and their licences, for people and scanners. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The package's own SPDX expression. */
  readonly license: string;
  /** The full text of its licence; empty if it has none. */
  readonly licenseText: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Throws if a package states no licence, because it must not be distributed then. */
export async function packageOf(folder: string): Promise<BundledPackage> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license } = manifest;
  if (license === undefined || license === '') throw new Error(`${name}@${version}: no licence`);
  const names = await readdir(folder);
  const file = names.toSorted().find((each) => /^(licen[cs]e|copying)(\.|$)/i.test(each));
  const licenseText = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
  return { name, version, license, licenseText };
}

/** A part of a bill that npm did not install: Node or a library of the C runtime. */
export interface RuntimePart {
  readonly type: 'platform' | 'library';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  /** Its name in advisories. */
  readonly cpe?: string;
}

/** CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/. */
export function softwareBill(
  of: { readonly name: string; readonly version: string },
  packages: readonly BundledPackage[],
  runtime: readonly RuntimePart[] = [],
): string {
  const components = packages.map(({ name, version, license }) => ({
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ expression: license }],
  }));
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', ...of } },
    components: [...components, ...runtime],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

export function licenseList(packages: readonly BundledPackage[]): string {
  return packages
    .map(
      ({ name, version, license, licenseText }) =>
        `${name} ${version}\nLicence: ${license}\n${licenseText === '' ? '' : `\n${licenseText.trim()}\n`}`,
    )
    .join(`\n${'-'.repeat(72)}\n\n`);
}
