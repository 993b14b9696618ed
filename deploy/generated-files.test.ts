import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { generatedFiles, generatedFolders, type GeneratedFiles } from './generate.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { openApiSchema } from '#shared/api/custom-resource-definition.ts';
import { kinds } from '#functions/list.ts';
import { asObject } from '#shared/api/structural-schema.ts';

const root = join(import.meta.dirname, '..');
/** Client-side apply keeps the whole object in an annotation of at most 262,144 bytes. */
const budget = 200_000;

describe('generated files', () => {
  let files: GeneratedFiles;
  beforeAll(async () => {
    files = await generatedFiles();
  });

  it('are on disk as the sources give them; else run `npm run generate`', async () => {
    for (const [path, content] of files) {
      expect(await readFile(join(root, path), 'utf8'), path).toBe(content);
    }
  });

  it('are the only files in their folders', async () => {
    const known = new Set<string>([...files.keys(), ...generatedFolders]);
    for (const folder of generatedFolders) {
      const names = (await readdir(join(root, folder))).map((name) => `${folder}/${name}`);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    }
  });

  it('are the same bytes each time', async () => {
    expect(await generatedFiles()).toEqual(files);
  });

  it('ask Knative for no field that it refuses unless an operator allows it', () => {
    const services = [...files]
      .filter(([path]) => path.startsWith('deploy/') && !path.includes('/chart/'))
      .flatMap(([, content]) => (content.includes('serving.knative.dev/v1') ? [content] : []))
      .flatMap((content) => parseAllDocuments(content).map((each) => each.toJS() as JsonObject))
      .filter((each) => each['kind'] === 'Service' && 'spec' in each)
      .filter(({ apiVersion }) => apiVersion === 'serving.knative.dev/v1');
    expect(services.length).toBeGreaterThan(4);
    for (const service of services) expect(JSON.stringify(service)).not.toContain('fieldRef');
  });

  it('hold CRDs far below what client-side apply can carry', () => {
    const sizes = [...files].filter(([path]) => /^deploy\/crds\/.*\.yaml$/.test(path));
    expect(sizes).toHaveLength(kinds.length);
    for (const [, content] of sizes) {
      expect(JSON.stringify(parse(content)).length).toBeLessThan(budget);
    }
  });
});

describe.each(kinds.map((kind) => [kind.resource.kind, openApiSchema(kind)] as const))(
  'the schema of %s',
  (_kind, schema) => {
    const fields = [...fieldsOf('', schema)];

    it('describes every field of ours', () => {
      const silent = fields.filter(([path, field]) => isOurs(path) && !('description' in field));
      expect(silent.map(([path]) => path)).toEqual([]);
    });

    it('names the unit of every number of seconds', () => {
      const seconds = fields.filter(
        ([path]) => path.endsWith('Seconds') && !path.includes('.template.spec.'),
      );
      for (const [path, { description }] of seconds)
        expect(description, path).toMatch(/Unit: seconds/);
    });

    it('names the default in the description of every field that has one', () => {
      for (const [path, field] of fields) {
        if (!('default' in field)) continue;
        expect(field['description'], path).toContain(
          `Default: ${JSON.stringify(field['default'])}.`,
        );
      }
    });
  },
);

const isOurs = (path: string) => !path.startsWith('.metadata');

function* fieldsOf(path: string, schema: JsonObject): Generator<readonly [string, JsonObject]> {
  for (const [name, value] of Object.entries(asObject(schema['properties'] ?? {}))) {
    const field = asObject(value);
    yield [`${path}.${name}`, field];
    yield* fieldsOf(
      `${path}.${name}`,
      field['items'] === undefined ? field : asObject(field['items']),
    );
  }
}
