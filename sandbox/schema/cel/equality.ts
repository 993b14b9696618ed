/** `==` and the order of CEL values (cel-go common/types, apiserver cel/common). */
import type { Json } from '#shared/domain/objects.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { CelFault, noSuchOverload } from './cel-fault.ts';
import {
  CelList,
  CelMap,
  CelObject,
  CelType,
  Duration,
  Optional,
  Timestamp,
  Uint,
  type CelValue,
} from './cel-value.ts';
import { celValue, jsonOf, memberOf, SchemaList, SchemaMap } from './schema-value.ts';

/** Values of different types are not equal, except for numbers of the same value. */
export function equal(left: CelValue, right: CelValue): boolean {
  if (left === right) return true;
  const leftNumber = numeric(left);
  if (leftNumber !== undefined) {
    const rightNumber = numeric(right);
    // oxlint-disable-next-line eqeqeq -- bigint and number
    return rightNumber !== undefined && leftNumber == rightNumber;
  }
  if (left === null || right === null) return false;
  refuseOtherKind(left, right);
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (left instanceof CelList) return right instanceof CelList && listsEqual(left, right);
  if (left instanceof CelMap) return right instanceof CelMap && mapsEqual(left, right);
  if (left instanceof Timestamp) return right instanceof Timestamp && left.ns === right.ns;
  if (left instanceof Duration) return right instanceof Duration && left.ns === right.ns;
  if (left instanceof Uint8Array) {
    return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  }
  if (left instanceof Optional) return right instanceof Optional && optionalsEqual(left, right);
  if (left instanceof CelType) return right instanceof CelType && left.type === right.type;
  return (
    left instanceof CelObject &&
    right instanceof CelObject &&
    left.constructor === right.constructor &&
    left.equals(right)
  );
}

/**
 * A list or map of the object can only be compared with another list or map. One that an expression built can be
 * compared with any value.
 */
function refuseOtherKind(left: CelValue, right: CelValue): void {
  const isOther =
    (left instanceof SchemaList && !(right instanceof CelList)) ||
    (left instanceof SchemaMap && !(right instanceof CelMap));
  if (isOther) throw noSuchOverload();
}

/** Below 0, 0 or above 0. Throws CelFault for values without an order. */
export function compare(left: CelValue, right: CelValue): number {
  const leftNumber = numeric(left);
  const rightNumber = numeric(right);
  if (leftNumber !== undefined && rightNumber !== undefined) {
    return compareNumbers(leftNumber, rightNumber);
  }
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof Timestamp && right instanceof Timestamp) return sign(left.ns - right.ns);
  if (left instanceof Duration && right instanceof Duration) return sign(left.ns - right.ns);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  throw noSuchOverload();
}

/** The number in an int, uint or double. */
function numeric(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

function compareNumbers(left: bigint | number, right: bigint | number): number {
  if (Number.isNaN(left) || Number.isNaN(right)) {
    throw new CelFault('NaN values cannot be ordered');
  }
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

/** By Unicode code point, the order of UTF-8 bytes. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  const hasSurrogates = /[\ud800-\udfff]/.test(left + right);
  if (hasSurrogates) return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
}

function sign(value: bigint): number {
  if (value === 0n) return 0;
  return value < 0n ? -1 : 1;
}

function optionalsEqual(left: Optional, right: Optional): boolean {
  if (left.held === undefined || right.held === undefined) return left.held === right.held;
  return equal(left.held, right.held);
}

function listsEqual(left: CelList, right: CelList): boolean {
  if (left.size !== right.size) return false;
  if (left instanceof SchemaList) {
    if (right instanceof SchemaList && left.value === right.value) return true;
    const type = left.schema['x-kubernetes-list-type'];
    if (type === 'set') return setsEqual(left, right);
    if (type === 'map') return listMapsEqual(left, right);
  }
  const others = right.items();
  return left.items().every((item, at) => equal(item, others[at] ?? null));
}

function setsEqual(left: SchemaList, right: CelList): boolean {
  const known = new Set<Json>(left.value);
  return right.items().every((item) => known.has(jsonOf(item)));
}

/** Items in any order, matched by their keys. */
function listMapsEqual(left: SchemaList, right: CelList): boolean {
  const names = left.schema['x-kubernetes-list-map-keys'] ?? [];
  const keyOf = (item: Json) => JSON.stringify(names.map((name) => memberOf(item, name) ?? null));
  const items = left.schema.items ?? {};
  const known = new Map(left.value.map((item) => [keyOf(item), item]));
  return right.items().every((item) => {
    const match = known.get(keyOf(jsonOf(item)));
    return match !== undefined && equal(celValue(match, items), item);
  });
}

function mapsEqual(left: CelMap, right: CelMap): boolean {
  if (left instanceof SchemaMap && right instanceof SchemaMap) {
    return left.value === right.value || objectsEqual(left, right);
  }
  if (left.size !== right.size) return false;
  return left.keys().every((key) => {
    const mine = left.find(key);
    const other = right.find(key);
    return mine !== undefined && other !== undefined && equal(mine, other);
  });
}

/** A value without a schema is compared as plain JSON if the other one has it too. */
function objectsEqual(left: SchemaMap, right: SchemaMap): boolean {
  const names = Object.keys(left.value);
  if (names.length !== Object.keys(right.value).length) return false;
  const isMap = left.schema.properties === undefined;
  return names.every((name) => {
    const schema = left.memberSchema(name);
    const mine = left.value[name];
    const other = Object.hasOwn(right.value, name) ? right.value[name] : undefined;
    if (schema === undefined) return other === undefined || jsonEqual(mine, other);
    if (!isMap && (mine ?? null) === null) return (other ?? null) === null;
    if (mine === undefined || other === undefined) return false;
    if (mine === other || (!isMap && other === null)) return mine === other;
    return equal(celValue(mine, schema), celValue(other, right.memberSchema(name) ?? schema));
  });
}
