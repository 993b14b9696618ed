/** The reference page of a kind in Markdown, from the schema that the API server enforces. */
import { apiVersionOf, type Json, type JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { openApiSchema } from './custom-resource-definition.ts';
import type { CelRule } from './field.ts';
import type { KindDefinition } from './kind-definition.ts';
import { asObject } from './structural-schema.ts';

interface FieldRow {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/** Fields, rules and columns of a kind. Same kind, same bytes. */
export function referencePage(kind: KindDefinition): string {
  const schema = openApiSchema(kind);
  return [
    `# ${kind.resource.kind}`,
    kind.says,
    summary(kind),
    ...fieldSection('Spec', 'spec', schema),
    ...(kind.status === undefined ? [] : fieldSection('Status', 'status', schema)),
    ...ruleSection(schema),
    ...columnSection(kind),
    '',
  ].join('\n\n');
}

function summary({ resource, shortNames }: KindDefinition): string {
  return table(
    ['', ''],
    [
      ['apiVersion', code(apiVersionOf(resource))],
      ['kind', code(resource.kind)],
      ['resource', code(`${resource.plural}.${resource.group}`)],
      ['short names', shortNames.map(code).join(', ')],
      ['scope', resource.namespaced ? 'namespaced' : 'cluster'],
    ],
  );
}

function fieldSection(title: string, name: string, schema: JsonObject): readonly string[] {
  const root = asObject(ownMember(asObject(schema['properties']), name));
  const rows = [...fieldRows(name, root)].map(({ path, type, required, description }) => [
    code(path),
    type,
    required ? 'yes' : '',
    description,
  ]);
  return [
    `## ${title}`,
    text(root['description']),
    table(['Field', 'Type', 'Required', 'Description'], rows),
  ];
}

/** Depth first. Fields that are passed on to Kubernetes unchanged are not listed one by one. */
function* fieldRows(path: string, schema: JsonObject): Generator<FieldRow> {
  const required = (schema['required'] ?? []) as readonly string[];
  for (const [name, value] of Object.entries(asObject(schema['properties'] ?? {}))) {
    const child = asObject(value);
    if (isForeign(child)) continue;
    yield {
      path: `${path}.${name}`,
      type: typeOf(child),
      required: required.includes(name),
      description: text(child['description']),
    };
    const items = child['items'] === undefined ? undefined : asObject(child['items']);
    yield* fieldRows(`${path}.${name}${items === undefined ? '' : '[]'}`, items ?? child);
  }
}

/** A field that belongs to Kubernetes: see kubernetes-fields.ts. */
function isForeign(schema: JsonObject): boolean {
  const description = text(schema['description']);
  return description === '' || /^As \S+ [A-Z]\w+\.\w+\.$/.test(description);
}

function typeOf(schema: JsonObject): string {
  if (Array.isArray(schema['enum']))
    return schema['enum'].map((word) => code(String(word))).join(', ');
  if (schema['items'] !== undefined) {
    const item = asObject(schema['items']);
    return `list of ${item['type'] === undefined ? 'object' : typeOf(item)}`;
  }
  if (schema['additionalProperties'] !== undefined) return 'map of string';
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  return text(schema['type']) + bounds(schema);
}

/** The largest int32 is a limit of the wire format and is not worth documenting. */
function bounds({ minimum, maximum }: JsonObject): string {
  if (typeof minimum !== 'number') return '';
  const open = typeof maximum !== 'number' || maximum === 2147483647;
  return open ? `, at least ${minimum}` : `, ${minimum} to ${maximum}`;
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function ruleSection(schema: JsonObject): readonly string[] {
  const messages = new Set(rulesOf(schema, ''));
  if (messages.size === 0) return [];
  return [
    '## Rules',
    'The API server refuses an object that breaks one of these.',
    [...messages].map((message) => `- ${message}`).join('\n'),
  ];
}

/** The rules in words. `path` is that of the value. */
function* rulesOf(schema: JsonObject, path: string): Generator<string> {
  const rules = (schema['x-millrace-rules'] ?? []) as unknown as readonly CelRule[];
  for (const { message } of rules) yield message;
  const keys = schema['x-millrace-unique'] as readonly string[] | undefined;
  if (keys !== undefined) yield `no ${keys[0] ?? 'item'} is twice in ${path}`;
  for (const [name, member] of Object.entries(asObject(schema['properties'] ?? {}))) {
    yield* rulesOf(asObject(member), path === '' ? name : `${path}.${name}`);
  }
  if (schema['items'] !== undefined) yield* rulesOf(asObject(schema['items']), `${path}[]`);
}

function columnSection({ columns }: KindDefinition): readonly string[] {
  const rows = columns.map(({ name, jsonPath, says, wide }) => [
    name.toUpperCase(),
    code(jsonPath),
    wide === true ? 'with `-o wide`' : 'always',
    says,
  ]);
  return [
    '## Columns',
    'What `kubectl get` prints after NAME.',
    table(['Column', 'From', 'Shown', 'Meaning'], rows),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
const code = (text: string) => `\`${text}\``;
