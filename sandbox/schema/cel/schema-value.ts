/**
 * JSON as CEL sees it through its schema (apiserver cel/common/valuesunstructured.go). A value is
 * converted only when a rule reads it.
 */
import { goType } from '../../apimachinery/go-text.ts';
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { propertyOf, valuesOf } from '../member-schema.ts';
import type { Schema } from '../schema.ts';
import { CelFault } from './cel-fault.ts';
import { CelList, CelMap, CelObject, Duration, Timestamp, type CelValue } from './cel-value.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { dateToMs, parseFormatDuration } from '../time-formats.ts';
import { escapeName, unescapeName } from './names.ts';
import { parseTimestamp } from './time-text.ts';

const text: Schema = { type: 'string' };
const typeAndObjectMeta: Readonly<Record<string, Schema>> = {
  kind: text,
  apiVersion: text,
  metadata: { type: 'object', properties: { name: text, generateName: text } },
};
const withMeta = new WeakMap<Schema, Schema>();

/** A resource shows its kind, apiVersion, metadata.name and metadata.generateName to its rules. */
export function resourceSchema(schema: Schema): Schema {
  let found = withMeta.get(schema);
  if (found === undefined) {
    const { metadata } = schema.properties ?? {};
    const isComplete = metadata?.properties?.['name'] !== undefined;
    const properties = { ...schema.properties, ...typeAndObjectMeta };
    found = isComplete ? schema : { ...schema, properties };
    withMeta.set(schema, found);
  }
  return found;
}

/** Throws CelFault when the value does not have the type of its schema. */
export function celValue(value: Json, schema: Schema): CelValue {
  if (value === null) {
    if (schema.nullable === true) return null;
    throw new CelFault('invalid data, got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
    const wanted = 'expected XIntOrString value to be either a string or integer';
    throw new CelFault(`invalid data, ${wanted}`);
  }
  switch (schema.type) {
    case 'object':
      if (isObject(value)) return new SchemaMap(value, schema);
      throw wrongType('a map for the provided schema with type=object');
    case 'array':
      return listOf(value, schema);
    case 'string':
      if (typeof value === 'string') return formatted(value, schema.format);
      throw wrongType(`string, got ${goType(value)}`);
    case 'number':
      if (typeof value === 'number') return value;
      throw wrongType(`float, got ${goType(value)}`);
    case 'integer':
      if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
      throw wrongType(`int, got ${goType(value)}`);
    case 'boolean':
      if (typeof value === 'boolean') return value;
      throw wrongType(`bool, got ${goType(value)}`);
    default:
      return new PreservedValue(value);
  }
}

/** An object with declared fields, or a map. */
export class SchemaMap extends CelMap {
  readonly value: JsonObject;
  readonly schema: Schema;
  readonly #isObject: boolean;
  readonly #found = new Map<string, CelValue>();

  constructor(value: JsonObject, schema: Schema) {
    super();
    this.value = value;
    this.schema =
      schema['x-kubernetes-embedded-resource'] === true ? resourceSchema(schema) : schema;
    this.#isObject = this.schema.properties !== undefined;
  }

  get size(): number {
    return Object.keys(this.value).length;
  }

  keys(): readonly CelValue[] {
    const names = Object.keys(this.value).filter((name) => this.memberSchema(name) !== undefined);
    return this.#isObject ? names.map(escapeName) : names;
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') throw new CelFault('no such overload');
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const name = this.#isObject ? unescapeName(key) : key;
    if (name === undefined || !Object.hasOwn(this.value, name)) return undefined;
    const value = this.value[name];
    const schema = this.memberSchema(name);
    // A null in a field means that the field is absent. In a map it is a value.
    if (value === undefined || schema === undefined) return undefined;
    if (value === null && this.#isObject) return undefined;
    const converted = celValue(value, schema);
    this.#found.set(key, converted);
    return converted;
  }

  memberSchema(name: string): Schema | undefined {
    return this.#isObject ? propertyOf(this.schema, name) : valuesOf(this.schema);
  }
}

/** A list of the object. `x-kubernetes-list-type` determines how it compares and adds. */
export class SchemaList extends CelList {
  readonly value: readonly Json[];
  readonly schema: Schema;
  readonly #itemSchema: Schema;
  #items: CelValue[] | undefined;

  constructor(value: readonly Json[], schema: Schema, itemSchema: Schema) {
    super();
    this.value = value;
    this.schema = schema;
    this.#itemSchema = itemSchema;
  }

  get size(): number {
    return this.value.length;
  }

  at(position: number): CelValue {
    return celValue(this.value[position] ?? null, this.#itemSchema);
  }

  override items(): readonly CelValue[] {
    return (this.#items ??= this.value.map((item) => celValue(item, this.#itemSchema)));
  }

  plus(other: CelList): CelList {
    const added = other.items().map(jsonOf);
    return new SchemaList(this.#joined(added), this.schema, this.#itemSchema);
  }

  #joined(added: readonly Json[]): readonly Json[] {
    switch (this.schema['x-kubernetes-list-type']) {
      case 'set':
        return union(this.value, added, (left, right) => left === right);
      case 'map': {
        const keys = this.schema['x-kubernetes-list-map-keys'] ?? [];
        return union(this.value, added, (left, right) =>
          keys.every((name) => jsonEqual(memberOf(left, name), memberOf(right, name))),
        );
      }
      default:
        return [...this.value, ...added];
    }
  }
}

/** A value without a schema. It can only be compared. */
export class PreservedValue extends CelObject {
  readonly typeName = 'unknown';
  readonly value: Json;

  constructor(value: Json) {
    super();
    this.value = value;
  }

  equals(other: CelObject): boolean {
    return other instanceof PreservedValue && jsonEqual(this.value, other.value);
  }
}

/**
 * The items of `left`, each replaced by its match in `added`, and then the other items of `added`.
 */
function union(
  left: readonly Json[],
  added: readonly Json[],
  isSame: (left: Json, right: Json) => boolean,
): readonly Json[] {
  const joined = [...left];
  for (const item of added) {
    const at = joined.findIndex((known) => isSame(known, item));
    if (at === -1) joined.push(item);
    else joined[at] = item;
  }
  return joined;
}

export function memberOf(value: Json, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}

/** The JSON of a value, with a number for an int. */
export function jsonOf(value: CelValue): Json {
  if (value instanceof SchemaMap || value instanceof SchemaList) return value.value;
  if (value instanceof PreservedValue) return value.value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'object' && value !== null) {
    throw new CelFault('no such overload');
  }
  return value;
}

function listOf(value: Json, schema: Schema): SchemaList {
  if (!isList(value)) throw wrongType('an array for the provided schema with type=array');
  if (schema.items === undefined) {
    throw new CelFault('invalid array type, expected Items with a non-empty Schema');
  }
  return new SchemaList(value, schema, schema.items);
}

function formatted(value: string, format: string | undefined): CelValue {
  switch (format) {
    case 'duration': {
      const ns = parseFormatDuration(value);
      if (ns !== undefined) return new Duration(ns);
      throw new CelFault(`Invalid duration ${value}: unable to parse ${value} as duration`);
    }
    case 'date': {
      const ms = dateToMs(value);
      if (ms !== undefined) return new Timestamp(BigInt(ms) * 1_000_000n);
      throw new CelFault(`Invalid date formatted string ${value}`);
    }
    case 'date-time': {
      const time = parseTimestamp(value);
      if (time !== undefined) return time;
      throw new CelFault(`Invalid date-time formatted string ${value}`);
    }
    case 'byte':
      return Buffer.from(value, 'base64');
    default:
      return value;
  }
}

function wrongType(wanted: string): CelFault {
  return new CelFault(`invalid data, expected ${wanted}`);
}
