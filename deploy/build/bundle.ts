/** One process of Millrace as files that need only Node. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';
import { packageOf, type BundledPackage } from './bundled-packages.ts';

export interface Bundle {
  readonly name: string;
  /** By path; `main.js` starts it. */
  readonly files: ReadonlyMap<string, string>;
  /** The packages whose code it contains, by name and version. */
  readonly packages: readonly BundledPackage[];
}

/**
 * Bundles the process that `functions/<name>/main.ts` starts. Code that is loaded on demand stays in files
 * of its own, so that a cold start reads only the rest. The same sources give the same bytes.
 */
export async function bundleOf(name: string, root: string): Promise<Bundle> {
  const { output } = await build({
    cwd: root,
    input: { main: join(root, 'functions', name, 'main.ts') },
    platform: 'node',
    logLevel: 'warn',
    write: false,
    output: { format: 'esm', minify: true, comments: { legal: false } },
  });
  const files = new Map<string, string>();
  const modules: string[] = [];
  for (const chunk of output) {
    if (chunk.type !== 'chunk') throw new Error(`${name}: ${chunk.fileName} is no code`);
    files.set(chunk.fileName, chunk.code);
    modules.push(...chunk.moduleIds);
  }
  return { name, files, packages: await packagesOf(modules) };
}

async function packagesOf(modules: readonly string[]): Promise<readonly BundledPackage[]> {
  const folders = new Set(modules.flatMap((module) => packageFolder(module) ?? []));
  const found = await Promise.all([...folders].map(packageOf));
  const byId = new Map(found.map((each) => [`${each.name}@${each.version}`, each]));
  return [...byId].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, each]) => each);
}

/** Undefined: code of Millrace itself or of the bundler. */
function packageFolder(module: string): string | undefined {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1];
}

export async function versionOf(root: string): Promise<string> {
  const text = await readFile(join(root, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
