/**
 * Field numbers of Kubernetes' protobuf, from the struct tags of the Go modules that define the types
 * (k8s.io/api and k8s.io/apimachinery). OpenAPI has no numbers.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { versions } from './control-plane/versions.ts';

/**
 * JSON names by number. A suffix `!` means that a zero on the wire is a value (the Go field is a
 * pointer, or written without omitempty). A prefix `&` marks an inlined Go type.
 */
export type NumberedFields = Readonly<Record<string, string>>;

const moduleOf: readonly (readonly [prefix: string, module: string])[] = [
  ['io.k8s.api.', 'k8s.io/api'],
  ['io.k8s.apimachinery.', 'k8s.io/apimachinery'],
];

/** For each OpenAPI definition name, and for the inlined types. */
export async function protobufFields(
  names: readonly string[],
): Promise<Readonly<Record<string, NumberedFields>>> {
  const fields: Record<string, NumberedFields> = {};
  const packages = [...new Set(names.map((name) => name.slice(0, name.lastIndexOf('.'))))];
  for (const name of packages) {
    const source = await sourceOf(name);
    const structs = structsOf(name, source);
    const wanted = names.filter((known) => known.startsWith(`${name}.`));
    for (const type of wanted) addWithInlined(type, structs, fields);
  }
  return fields;
}

function addWithInlined(
  type: string,
  structs: Readonly<Record<string, NumberedFields>>,
  into: Record<string, NumberedFields>,
): void {
  const found = structs[type];
  if (found === undefined || into[type] !== undefined) return;
  into[type] = found;
  for (const field of Object.values(found)) {
    if (field.startsWith('&')) addWithInlined(field.slice(1), structs, into);
  }
}

async function sourceOf(packageName: string): Promise<string> {
  const known = moduleOf.find(([prefix]) => `${packageName}.`.startsWith(prefix));
  // CustomResourceDefinitions contain JSON inside protobuf; clients send them as JSON.
  if (known === undefined) return '';
  const [prefix, module] = known;
  const folder = packageName.slice(prefix.length).split('.').join('/');
  const file = join(await moduleFolder(module), folder, 'types.go');
  return readFile(file, 'utf8').catch((error: unknown) => {
    // Packages of a special type (Quantity, IntOrString, RawExtension) are decoded by hand.
    if ((error as { code?: unknown }).code === 'ENOENT') return '';
    throw error;
  });
}

/** The modules that define the types. */
export async function downloadTypes(): Promise<void> {
  for (const [, module] of moduleOf) await moduleFolder(module);
}

async function moduleFolder(module: string): Promise<string> {
  const version = versions.kubernetes.replace(/^v1\./, 'v0.');
  const args = ['mod', 'download', '-json', `${module}@${version}`];
  const { stdout } = await promisify(execFile)('go', args, { cwd: tmpdir() });
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

const struct = /^type (\w+) struct \{\n([\s\S]*?)^\}/gm;
const tagged =
  /^\t(?:(\w+) +)?(\S+) +`json:"([^"]*)" *(?:[a-zA-Z]+:"[^"]*" *)*protobuf:"([^"]*)"/gm;

function structsOf(packageName: string, source: string): Record<string, NumberedFields> {
  const structs: Record<string, NumberedFields> = {};
  for (const [, name = '', body = ''] of source.matchAll(struct)) {
    const fields: Record<string, string> = {};
    for (const [, , type = '', json = '', protobuf = ''] of body.matchAll(tagged)) {
      const number = protobuf.split(',')[1];
      const [jsonName = '', ...flags] = json.split(',');
      if (number === undefined) continue;
      const inlined = flags.includes('inline') || jsonName === '';
      const keepsZero = type.startsWith('*') || !flags.includes('omitempty');
      fields[number] = inlined
        ? `&${packageName}.${type.replace(/^\*?(\w+\.)?/, '')}`
        : `${jsonName}${keepsZero ? '!' : ''}`;
    }
    if (Object.keys(fields).length > 0) structs[`${packageName}.${name}`] = fields;
  }
  return structs;
}
