/**
 * JSON as CEL sees it without a schema (cel-go types.NativeToValue on Kubernetes' decoded JSON).
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { CelList, CelMap, ListValue, type CelValue } from './cel-value.ts';

/** Converts a value only when an expression reads it. */
export function plainValue(value: Json | undefined): CelValue {
  if (value === undefined) return null;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (isList(value)) return new PlainList(value);
  return isObject(value) ? new PlainMap(value) : value;
}

class PlainMap extends CelMap {
  readonly #value: JsonObject;
  readonly #found = new Map<string, CelValue>();

  constructor(value: JsonObject) {
    super();
    this.#value = value;
  }

  get size(): number {
    return this.keys().length;
  }

  keys(): readonly string[] {
    return Object.keys(this.#value).filter((key) => this.#value[key] !== undefined);
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#value, key)) return undefined;
    const value = this.#value[key];
    if (value === undefined) return undefined;
    let found = this.#found.get(key);
    if (found === undefined) {
      found = plainValue(value);
      this.#found.set(key, found);
    }
    return found;
  }
}

class PlainList extends CelList {
  readonly #value: readonly Json[];
  #items: readonly CelValue[] | undefined;

  constructor(value: readonly Json[]) {
    super();
    this.#value = value;
  }

  get size(): number {
    return this.#value.length;
  }

  at(position: number): CelValue {
    return this.items()[position] ?? null;
  }

  override items(): readonly CelValue[] {
    return (this.#items ??= this.#value.map(plainValue));
  }

  plus(other: CelList): CelList {
    return new ListValue([...this.items(), ...other.items()]);
  }
}
