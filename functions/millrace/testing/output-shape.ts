/** The published shapes of `-o json`, without any further members. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Compile } from 'typebox/schema';
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { outputSchemas } from '../output-schemas.ts';

const folder = join(import.meta.dirname, '../../../docs/reference/output');

/** Faults of a value by its published shape. */
export function outputFaults(verb: keyof typeof outputSchemas) {
  const text = readFileSync(join(folder, `${verb}.schema.json`), 'utf8');
  const compiled = Compile(strict(JSON.parse(text) as Json) as JsonObject);
  return (value: unknown): readonly string[] => {
    const [, errors] = compiled.Errors(value);
    return errors.map(({ instancePath, message }) => `${instancePath}: ${message}`);
  };
}

function strict(schema: Json): Json {
  if (isList(schema)) return schema.map(strict);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).map(
    ([name, each]) => [name, strict(each ?? null)] as const,
  );
  const closed = isObject(schema['properties']) ? { additionalProperties: false } : {};
  return { ...Object.fromEntries(members), ...closed };
}
