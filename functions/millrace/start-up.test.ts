/** The modules that the command line loads before it knows the verb: it has to start at once. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '#package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..', '..');
/** Static imports and exports, except of types only. A call of `import()` loads on demand. */
const statement = /^(?:import|export)\s(?!type\s)(?:[^'"]*?\sfrom\s)?'([^']+)'/gm;

interface Loaded {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

async function loadedFrom(entry: string): Promise<Loaded> {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    if (!file.endsWith('.ts')) continue;
    const text = await readFile(file, 'utf8');
    for (const [, target = ''] of text.matchAll(statement)) {
      const [own] = Object.entries(packageJson.imports).flatMap(([name, path]) => {
        const [prefix = ''] = name.split('*');
        const isMeant = name.includes('*') ? target.startsWith(prefix) : target === name;
        if (!isMeant) return [];
        return [join(root, path.replace('*', target.slice(prefix.length)))];
      });
      if (own !== undefined) files.add(own);
      else if (target.startsWith('.')) files.add(join(dirname(file), target));
      else if (!target.startsWith('node:')) packages.add(target);
    }
  }
  return { files, packages };
}

test('the command line loads commander alone, and no kind, client or function, before its verb is known', async () => {
  const { files, packages } = await loadedFrom(join(import.meta.dirname, 'main.ts'));
  const names = [...files].map((file) => file.slice(root.length + 1));
  expect(names).toContain('functions/millrace/verbs/get.ts');
  expect([...packages]).toEqual(['commander']);
  expect(
    names.filter((name) =>
      /^(shared\/(kube|runtime|queue|journal|redis)|functions\/(?!millrace\/))/.test(name),
    ),
  ).toEqual([]);
  expect(names.filter((name) => name.startsWith('functions/millrace/commands/'))).toEqual([]);
});

test.each(['graph', 'lint'])('`%s` of a file loads no client and no function', async (command) => {
  const { files, packages } = await loadedFrom(
    join(import.meta.dirname, 'commands', `${command}.ts`),
  );
  const names = [...files].map((file) => file.slice(root.length + 1));
  expect(names).toContain('shared/api/validate.ts');
  expect(packages).not.toContain('undici');
  expect(
    names.filter((name) =>
      /^(shared\/(kube|runtime|queue|redis)|functions\/[^/]+\/decide)/.test(name),
    ),
  ).toEqual([]);
});

test('`crds` loads nothing of the kinds', async () => {
  const { files, packages } = await loadedFrom(join(import.meta.dirname, 'commands/crds.ts'));
  expect([...packages]).toEqual([]);
  expect([...files].filter((file) => /\/(shared|sandbox)\//.test(file))).toEqual([]);
});
