import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const crdFolder = join(import.meta.dirname, '..', '..', '..', 'deploy', 'crds');

/** The CustomResourceDefinitions as one YAML stream, ready for `kubectl apply -f -`. */
export async function renderCrds(): Promise<string> {
  const files = (await readdir(crdFolder)).filter((name) => name.endsWith('.yaml')).sort();
  const documents = await Promise.all(files.map((name) => readFile(join(crdFolder, name), 'utf8')));
  return documents.map((text) => text.replace(/^---\n/, '').trimEnd()).join('\n---\n') + '\n';
}
