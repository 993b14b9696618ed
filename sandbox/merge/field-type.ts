/**
 * A schema as server-side apply sees it: each place in an object is a scalar, a list or a map, or any of the three if
 * the schema does not say. Rules: kube-openapi pkg/schemaconv (structural schema to structured-merge-diff) and
 * typed/helpers.go of structured-merge-diff v6.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import type { Schema } from '../schema/schema.ts';

export type Kind = 'scalar' | 'list' | 'map';
type Scalar = 'string' | 'number' | 'boolean' | 'any';

export interface FieldType {
  readonly scalar?: Scalar;
  readonly list?: ListType;
  readonly map?: MapType;
  /** The field has no owner and is not compared: `metadata.managedFields`. */
  readonly ignored?: true;
}

export interface ListType {
  /**
   * An `atomic` list is written as a whole. Items of a `set` are named by value, and those of a `map` by the members in
   * `keys`.
   */
  readonly relation: 'atomic' | 'set' | 'map';
  /** In the order of their names. */
  readonly keys: readonly string[];
  readonly item: FieldType;
  /** Defaults for keys that an item omits. */
  keyDefault(key: string): Json | undefined;
}

export interface MapType {
  readonly isAtomic: boolean;
  /** Whether the name is a declared property rather than the key of a map or an unknown field. */
  declares(name: string): boolean;
  /** Undefined: the schema does not have the field. */
  typeOf(name: string): FieldType | undefined;
}

/** The type of an unknown value: a scalar, a whole list or a whole map. */
const untyped: FieldType = {
  scalar: 'any',
  list: { relation: 'atomic', keys: [], item: {}, keyDefault: () => undefined },
  map: { isAtomic: true, declares: () => false, typeOf: () => untyped },
};

/** Fields that the schema does not have: maps member by member, lists as a whole. */
const deduced: FieldType = {
  scalar: 'any',
  list: { relation: 'atomic', keys: [], item: untyped, keyDefault: () => undefined },
  map: { isAtomic: false, declares: () => false, typeOf: () => deduced },
};

const pruning = new WeakMap<Schema, FieldType>();
const preserving = new WeakMap<Schema, FieldType>();

/** `keepsUnknown`: an ancestor has `x-kubernetes-preserve-unknown-fields`, which descendants inherit. */
export function fieldType(schema: Schema, keepsUnknown = false): FieldType {
  const keeps = keepsUnknown || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const known = keeps ? preserving : pruning;
  let type = known.get(schema);
  if (type === undefined) {
    type = convert(schema, keeps);
    known.set(schema, type);
  }
  return type;
}

/** The kind of the value at a place of this type. Null has the first kind that the type allows. */
export function kindOf(type: FieldType, value: Json): Kind {
  if (isList(value)) {
    if (type.list) return 'list';
  } else if (isObject(value)) {
    if (type.map) return 'map';
  } else if (value !== null && type.scalar) return 'scalar';
  return type.map ? 'map' : type.scalar ? 'scalar' : 'list';
}

function convert(schema: Schema, keeps: boolean): FieldType {
  if (schema['x-kubernetes-int-or-string']) return untyped;
  switch (schema.type) {
    case 'object':
      return { map: new SchemaMap(schema, keeps) };
    case 'array':
      return { list: new SchemaList(schema, keeps) };
    case 'integer':
    case 'number':
      return { scalar: 'number' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: (schema.format ?? 'byte') === 'byte' ? 'string' : 'any' };
    case undefined: {
      const list = new SchemaList(schema, keeps);
      return { scalar: 'any', list, map: new SchemaMap(schema, keeps) };
    }
    default:
      return untyped;
  }
}

class SchemaMap implements MapType {
  readonly isAtomic: boolean;
  readonly #schema: Schema;
  readonly #keeps: boolean;
  /** Filled on demand, because a schema may contain itself. */
  readonly #types = new Map<string, FieldType | undefined>();

  constructor(schema: Schema, keeps: boolean) {
    this.#schema = schema;
    this.#keeps = keeps;
    this.isAtomic = schema['x-kubernetes-map-type'] === 'atomic';
  }

  declares(name: string): boolean {
    const { properties } = this.#schema;
    return properties !== undefined && Object.hasOwn(properties, name);
  }

  typeOf(name: string): FieldType | undefined {
    if (!this.declares(name)) return this.#elementType();
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const type = fieldType(this.#schema.properties?.[name] ?? {}, this.#keeps);
    this.#types.set(name, type);
    return type;
  }

  #elementType(): FieldType | undefined {
    const { additionalProperties, properties = {} } = this.#schema;
    if (additionalProperties === true) return deduced;
    if (additionalProperties === false) return undefined;
    if (additionalProperties !== undefined) return fieldType(additionalProperties, this.#keeps);
    return this.#keeps || Object.keys(properties).length === 0 ? deduced : undefined;
  }
}

class SchemaList implements ListType {
  readonly relation: ListType['relation'];
  readonly keys: readonly string[];
  readonly #items: Schema | undefined;
  readonly #keeps: boolean;

  constructor(schema: Schema, keeps: boolean) {
    this.#items = schema.items;
    this.#keeps = keeps;
    ({ relation: this.relation, keys: this.keys } = relationOf(schema));
  }

  get item(): FieldType {
    return this.#items === undefined ? untyped : fieldType(this.#items, this.#keeps);
  }

  keyDefault(key: string): Json | undefined {
    return this.#items?.properties?.[key]?.default;
  }
}

/** Built-in kinds that are older than list types have patch strategies instead. */
function relationOf(schema: Schema): Pick<ListType, 'relation' | 'keys'> {
  const atomic = { relation: 'atomic', keys: [] } as const;
  switch (schema['x-kubernetes-list-type']) {
    case 'atomic':
      return atomic;
    case 'set':
      return { relation: 'set', keys: [] };
    case 'map':
      return { relation: 'map', keys: [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort() };
    case undefined:
      break;
  }
  const strategies = (schema['x-kubernetes-patch-strategy'] ?? '').split(',');
  if (!strategies.includes('merge')) return atomic;
  const key = schema['x-kubernetes-patch-merge-key'];
  return key === undefined ? { relation: 'set', keys: [] } : { relation: 'map', keys: [key] };
}
