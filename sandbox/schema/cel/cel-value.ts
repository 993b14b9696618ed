/** The values of CEL (cel-spec, langdef): ints are bigint, doubles number. */
import { CelFault } from './cel-fault.ts';

export type CelValue =
  | null
  | boolean
  | string
  | bigint
  | number
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | Optional
  | CelType
  | CelList
  | CelMap
  | CelObject;

/** An unsigned integer of 64 bits. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds since the epoch, and the offset of its text's time zone in minutes east of UTC. */
export class Timestamp {
  readonly ns: bigint;
  readonly zoneMinutes: number;
  constructor(ns: bigint, zoneMinutes = 0) {
    this.ns = ns;
    this.zoneMinutes = zoneMinutes;
  }
}

/** Nanoseconds, as Go's time.Duration. */
export class Duration {
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}

export class Optional {
  /** Undefined: there is no value. */
  readonly held: CelValue | undefined;
  constructor(held?: CelValue) {
    this.held = held;
  }
}
export const none = new Optional();

export class CelType {
  readonly type: string;
  constructor(type: string) {
    this.type = type;
  }
}

/** A value of one of the Kubernetes libraries: NamedFormat, Authorizer. */
export abstract class CelObject {
  /** As `kubernetes.URL`. */
  abstract readonly typeName: string;
  /** Called only for objects of the same class. */
  abstract equals(other: CelObject): boolean;
}

export abstract class CelList {
  abstract readonly size: number;
  /** `position` is in range. Throws CelFault when the item does not match its schema. */
  abstract at(position: number): CelValue;
  /** `+`: adds the items of another list. */
  abstract plus(other: CelList): CelList;

  items(): readonly CelValue[] {
    return Array.from({ length: this.size }, (_, position) => this.at(position));
  }
}

export abstract class CelMap {
  abstract readonly size: number;
  abstract keys(): readonly CelValue[];
  /** Undefined: the map does not have the key. */
  abstract find(key: CelValue): CelValue | undefined;
}

/** A list that an expression made. */
export class ListValue extends CelList {
  readonly #items: readonly CelValue[];

  constructor(items: readonly CelValue[]) {
    super();
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(position: number): CelValue {
    return this.#items[position] ?? null;
  }

  override items(): readonly CelValue[] {
    return this.#items;
  }

  plus(other: CelList): CelList {
    return new ListValue([...this.#items, ...other.items()]);
  }
}

/** A map that an expression made. */
export class MapValue extends CelMap {
  readonly #entries: ReadonlyMap<string | boolean | bigint, CelValue>;

  /**
   * Of several values of a key the last one counts. With `isStrict` they are a CelFault. A key of another type always
   * is.
   */
  constructor(entries: Iterable<readonly [CelValue, CelValue]>, isStrict = false) {
    super();
    const found = new Map<string | boolean | bigint, CelValue>();
    for (const [key, value] of entries) {
      const identity = keyOf(key);
      if (identity === undefined) throw new CelFault('unsupported key type');
      if (isStrict && found.has(identity)) {
        throw new CelFault(`insert failed: key ${String(identity)} already exists`);
      }
      found.set(identity, value);
    }
    this.#entries = found;
  }

  get size(): number {
    return this.#entries.size;
  }

  keys(): readonly CelValue[] {
    return [...this.#entries.keys()];
  }

  find(key: CelValue): CelValue | undefined {
    const identity = keyOf(key);
    return identity === undefined ? undefined : this.#entries.get(identity);
  }
}

function keyOf(key: CelValue): string | boolean | bigint | undefined {
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : undefined;
  if (key instanceof Uint) return key.value;
  return typeof key === 'string' || typeof key === 'boolean' || typeof key === 'bigint'
    ? key
    : undefined;
}

/** The name that `type(value)` gives. */
export function typeName(value: CelValue): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    default:
      return value === null ? 'null_type' : objectTypeName(value);
  }
}

function objectTypeName(
  value: Exclude<CelValue, null | boolean | string | bigint | number>,
): string {
  if (value instanceof CelList) return 'list';
  if (value instanceof CelMap) return 'map';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Optional) return 'optional_type';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  return value instanceof CelType ? 'type' : value.typeName;
}
