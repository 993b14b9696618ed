/**
 * What the last full run compared, if every script agreed: the sources of both sides and the version of the API
 * server. While these are the same, agreement cannot have changed, and a run that may rely on the record plays an
 * eighth of the scripts. Only a full run writes the record, so that it never promises more than was seen.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importedSources } from '#test/support/sources/imported-sources.ts';
import { testExtent } from '#test/support/test-extent.ts';
import { nameOf, type Script } from './harness/script.ts';

export interface ConformanceRecord {
  /** The version that the API server gave. */
  readonly kubernetes: string;
  /** SHA-256 of what {@link comparedSources} names. */
  readonly sources: string;
}

const repository = join(import.meta.dirname, '../..');
const recordFile = join(import.meta.dirname, 'record.json');

/** Both sides: the sandbox, the scripts and their harness, and what starts the control plane. */
const entries = [
  'sandbox/index.ts',
  'test/conformance/conformance.test.ts',
  'test/support/cluster-parts.ts',
];
/** Files that both sides read as they run, and the versions of all packages. */
const readAtRunTime = [
  ...['deploy/crds', 'deploy/policies', 'test/support/control-plane/stages'],
  'package-lock.json',
];
/**
 * Of Millrace itself a server sees the definitions and policies alone, and these are in `deploy`. So the sources of
 * its functions, which change more often than all others, are left out.
 */
const follows = (path: string): boolean => !path.startsWith('functions/');

/** Paths from the root of all files on which the agreement depends. */
export function comparedSources(root = repository): readonly string[] {
  const data = readAtRunTime.flatMap((path) => filesIn(root, path));
  return [...importedSources({ root, entries, follows }), ...data];
}

function filesIn(root: string, path: string): readonly string[] {
  if (path.endsWith('.json')) return [path];
  const names = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).sort();
  return names.filter((name) => name.endsWith('.yaml')).map((name) => `${path}/${name}`);
}

/** Changes with the name and with the content of each file. */
export function hashOfSources(root = repository): string {
  const hash = createHash('sha256');
  for (const path of comparedSources(root)) {
    const content = createHash('sha256')
      .update(readFileSync(join(root, path)))
      .digest('hex');
    hash.update(`${path} ${content}\n`);
  }
  return hash.digest('hex');
}

/** Undefined where no full run has agreed yet. */
export function readRecord(file = recordFile): ConformanceRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ConformanceRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function writeRecord(record: ConformanceRecord, file = recordFile): void {
  writeFileSync(file, `${JSON.stringify(record, undefined, 2)}\n`);
}

export interface Selection {
  readonly scripts: readonly Script[];
  /** Why these, for the output. */
  readonly why: string;
}

/** What to play: all, or a part when the run relies on the record and nothing has changed since. */
export function scriptsToPlay(
  all: readonly Script[],
  now: ConformanceRecord,
  recorded: ConformanceRecord | undefined,
  extent = testExtent(),
): Selection {
  if (extent === 'full') return { scripts: all, why: 'all, as asked' };
  const changed = (['kubernetes', 'sources'] as const).filter(
    (name) => now[name] !== recorded?.[name],
  );
  if (changed.length > 0) {
    const why = `all, since the record is of other ${changed.join(', ')}`;
    return { scripts: all, why };
  }
  const part = partOf(all, now.sources);
  return { scripts: part, why: `${part.length} of ${all.length}, since the record is of the same` };
}

/** Each sources have another part: about an eighth of the scripts, with at least one of each family. */
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
