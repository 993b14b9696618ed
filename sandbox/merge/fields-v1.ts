/**
 * Parses FieldsV1 of a client into the form that this folder relies on: only known kinds of path
 * elements, with one spelling for each key. Rule: fieldpath/serialize.go of structured-merge-diff.
 */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { type FieldSet, isEmpty, node } from './field-set.ts';
import { goJson } from '../apimachinery/go-text.ts';
import { objectOr } from '../apimachinery/json-value.ts';

/** A path element of a known kind, with content that cannot be parsed. */
export class InvalidFields extends Error {
  override readonly name = 'InvalidFields';
}

/** Throws `InvalidFields`. */
export function parseFields(fields: JsonObject): FieldSet {
  const children: Record<string, FieldSet> = {};
  for (const [element, below] of Object.entries(fields)) {
    const name = element === '.' ? undefined : parseElement(element);
    if (name === undefined) continue;
    const inner = objectOr(below);
    const set = parseFields(inner);
    const member = inner['.'] !== undefined || isEmpty(set);
    children[name] = node(member, set);
  }
  return children;
}

function parseElement(element: string): string | undefined {
  if (element[1] !== ':') throw new InvalidFields(`missing colon: ${element}`);
  const content = element.slice(2);
  switch (element[0]) {
    case 'f':
      return element;
    case 'i':
      if (!/^-?\d+$/.test(content)) throw new InvalidFields(`no index: ${element}`);
      return element;
    case 'v':
      return `v:${goJson(parse(content))}`;
    case 'k':
      return `k:${goJson(parse(content))}`;
    default:
      // Possibly of a later version.
      return undefined;
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new InvalidFields(`no JSON: ${text}`, { cause });
  }
}
