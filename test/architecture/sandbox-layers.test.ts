import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

it('the page of the sandbox shows the layers that are checked', async () => {
  const rules = pathToFileURL(join(root, '.dependency-cruiser.js')).href;
  const { sandboxLayers } = (await import(rules)) as {
    readonly sandboxLayers: Readonly<Record<string, readonly string[]>>;
  };
  const page = readFileSync(join(root, 'sandbox/README.md'), 'utf8');
  expect(layersOn(page)).toEqual(sandboxLayers);
});

/** Rows `| layer | what it does | may import |`, of folders of the sandbox. */
function layersOn(page: string): Readonly<Record<string, readonly string[]>> {
  const rows = [...page.matchAll(/^\| `(\w+)` +\|[^|]*\|([^|]*)\|$/gm)];
  return Object.fromEntries(
    rows.map(([, layer = '', below = '']) => [
      layer,
      below.match(/(?<![`/\w])\w+(?![\w/])/g) ?? [],
    ]),
  );
}
