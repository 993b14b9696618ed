/** A module's files in this repository: itself and all its imports. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

export interface Sources {
  /** Folder of the repository. */
  readonly root: string;
  /** Paths from the root. */
  readonly entries: readonly string[];
  /** Whether to follow a file's imports; the file itself belongs to the result either way. */
  readonly follows?: (path: string) => boolean;
}

/** Paths from the root, sorted, without packages and type-only imports. */
export function importedSources({ root, entries, follows = () => true }: Sources): string[] {
  const aliases = aliasesOf(root);
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    if (!path.endsWith('.ts') || !follows(path)) return;
    for (const name of importsOf(root, path)) {
      const target = resolved(path, name, aliases);
      if (target !== undefined) visit(target);
    }
  };
  entries.forEach(visit);
  return [...found].sort();
}

/** Names of the packages that these files import, sorted, without those of Node.js. */
export function importedPackages(root: string, paths: readonly string[]): readonly string[] {
  const names = paths
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => importsOf(root, path))
    .filter((name) => !/^(\.|#|node:)/.test(name))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(names)].sort();
}

/** By the text of a file, because several suites share files. */
const knownImports = new Map<string, readonly string[]>();

function importsOf(root: string, path: string): readonly string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const known = knownImports.get(text);
  if (known !== undefined) return known;
  const { importedFiles } = ts.preProcessFile(stripTypeScriptTypes(text));
  const imports = importedFiles.map(({ fileName }) => fileName);
  knownImports.set(text, imports);
  return imports;
}

type Aliases = readonly (readonly [prefix: string, target: string])[];

/** `imports` of package.json: `#shared/` means `shared/`. */
function aliasesOf(root: string): Aliases {
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly imports: Readonly<Record<string, string>>;
  };
  return Object.entries(imports).map(([name, target]) => [
    name.replace('*', ''),
    posix.normalize(target.replace('*', '')),
  ]);
}

function resolved(importer: string, name: string, aliases: Aliases): string | undefined {
  if (name.startsWith('.')) return posix.join(dirname(importer), name);
  if (!name.startsWith('#')) return undefined;
  const alias = aliases.find(([prefix]) =>
    prefix.endsWith('/') ? name.startsWith(prefix) : name === prefix,
  );
  if (alias === undefined) throw new Error(`${importer} imports ${name}, which package.json lacks`);
  return alias[1] + name.slice(alias[0].length);
}
