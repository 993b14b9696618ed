import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { JsonObject, NewObject } from '#shared/domain/objects.ts';

export const crdFolder = join(import.meta.dirname, '..', '..', '..', 'deploy', 'crds');

/** The CustomResourceDefinitions of Millrace. */
export async function readDefinitions(
  folder = crdFolder,
): Promise<readonly (NewObject & JsonObject)[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) =>
    parseAllDocuments(text).map((document) => document.toJS() as NewObject & JsonObject),
  );
}
