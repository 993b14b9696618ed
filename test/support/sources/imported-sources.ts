/** The files that a module is made of: itself and all that it imports, of this repository. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

export interface Sources {
  /** Folder of the repository. */
  readonly root: string;
  /** Paths from the root. */
  readonly entries: readonly string[];
  /** Whether to go on to what a file imports; the file itself belongs to it either way. */
  readonly follows?: (path: string) => boolean;
}

/** Paths from the root, sorted. Packages and imports of types alone are left out. */
export function importedSources({ root, entries, follows = () => true }: Sources): string[] {
  const aliases = aliasesOf(root);
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    if (!path.endsWith('.ts') || !follows(path)) return;
    const text = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'));
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      const target = resolved(path, fileName, aliases);
      if (target !== undefined) visit(target);
    }
  };
  entries.forEach(visit);
  return [...found].sort();
}

type Aliases = readonly (readonly [prefix: string, target: string])[];

/** `imports` of package.json, as `#shared/` for `shared/`. */
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
