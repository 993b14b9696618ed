/**
 * Validates a value against the keywords of its schema, without CEL
 * (k8s.io/kube-openapi/pkg/validation/validate, apiextensions-apiserver apiserver/validation). In
 * an update, faults of unchanged parts are forgiven if the parts can be matched (KEP-4008).
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { invalid, required, tooMany } from '../apimachinery/cause.ts';
import type { Correlation } from './correlation.ts';
import { compositionCheck } from './composition.ts';
import { faultAt, report, type Faults } from './fault.ts';
import { formatCheck, formatOf } from './formats.ts';
import { propertyOf, valuesOf } from './member-schema.ts';
import type { Schema } from './schema.ts';
import { enumCheck, numberCheck, stringCheck, typeCheck, typesOf } from './value-checks.ts';

/**
 * `path` begins with a dot and is relative to the root. `correlation` is absent where no fault is
 * forgiven.
 */
export type Check = (
  value: Json,
  path: string,
  correlation: Correlation | undefined,
  faults: Faults,
) => number;

const checks = new WeakMap<Schema, Check>();

/** The check of a schema. Compiled once, because types share parts such as the pod template. */
export function compileCheck(schema: Schema): Check {
  let known = checks.get(schema);
  if (known === undefined) {
    known = checkOf(schema);
    checks.set(schema, known);
  }
  return known;
}

/** Returns how many checks were met (see fault.ts). */
function checkOf(schema: Schema): Check {
  const ofType = typeCheck(schema);
  const hasTypes = typesOf(schema).length > 0 || formatOf(schema) !== undefined;
  const ofComposition = compositionCheck(schema, compileCheck);
  const ofString = stringCheck(schema);
  const ofFormat = formatCheck(schema);
  const ofNumber = numberCheck(schema);
  const ofList = listCheck(schema);
  const ofEnum = schema.enum?.length ? enumCheck(schema.enum) : undefined;
  const ofObject = objectCheck(schema);
  return (value, path, correlation, faults) => {
    if (value === null) {
      const held = ofType(value, path, faults);
      ofEnum?.(value, path, faults);
      return held;
    }
    let held = 1;
    if (hasTypes) held += 1 + ofType(value, path, faults);
    held += 1 + ofComposition(value, path, faults);
    if (typeof value === 'string') {
      ofString?.(value, path, faults);
      held += 1;
      if (ofFormat) {
        ofFormat(value, path, faults);
        held += 1;
      }
    } else if (typeof value === 'number') {
      ofNumber(value, path, faults);
      held += 2;
    } else if (isList(value)) {
      held += 1 + ofList(value, path, correlation, faults);
    }
    ofEnum?.(value, path, faults);
    held += 1;
    if (isObject(value)) held += 1 + ofObject(value, path, correlation, faults);
    return held;
  };
}

type ListCheck = (
  list: readonly Json[],
  path: string,
  correlation: Correlation | undefined,
  faults: Faults,
) => number;

function listCheck(schema: Schema): ListCheck {
  const { minItems, maxItems, uniqueItems } = schema;
  const items = schema.items && compileCheck(schema.items);
  return (list, path, correlation, faults) => {
    let held = 1;
    if (items) {
      list.forEach((item, at) => {
        held += forgiving(items, item, `${path}[${at}]`, correlation?.item(at), faults);
      });
    }
    const size = list.length;
    const fail = (words: string, value: Json) => {
      const text = `${path} in body ${words}`;
      report(
        faults,
        faultAt(path, text, (field) => invalid(field, value, text)),
      );
    };
    if (minItems !== undefined && size < minItems) {
      fail(`should have at least ${minItems} items`, size);
    }
    if (maxItems !== undefined && size > maxItems) {
      const text = `${path} in body should have at most ${maxItems} items`;
      report(
        faults,
        faultAt(path, text, (field) => tooMany(field, size, maxItems)),
      );
    }
    if (uniqueItems === true && hasTwins(list)) fail("shouldn't contain duplicates", '');
    return held;
  };
}

type ObjectCheck = (
  object: JsonObject,
  path: string,
  correlation: Correlation | undefined,
  faults: Faults,
) => number;

function objectCheck(schema: Schema): ObjectCheck {
  const fields = fieldChecks(schema);
  const values = valuesOf(schema);
  const ofValues = values && compileCheck(values);
  const mustHave = schema.required ?? [];
  const countsMembers = schema.minProperties !== undefined || schema.maxProperties !== undefined;
  return (object, path, correlation, faults) => {
    let held = 0;
    if (countsMembers) checkSize(schema, object, path, faults);
    if (ofValues || schema.additionalProperties === false) {
      for (const name in object) {
        const value = object[name];
        if (value === undefined || propertyOf(schema, name)) continue;
        const at = `${path}.${name}`;
        if (ofValues) held += forgiving(ofValues, value, at, correlation?.member(name), faults);
        else reportStranger(path, name, faults);
      }
    }
    for (const [name, check] of fields) {
      const value = object[name];
      if (value === undefined) continue;
      const at = path === '' ? name : `${path}.${name}`;
      const isTypeMeta = path === '' && (name === 'kind' || name === 'apiVersion');
      held += forgiving(
        check,
        value,
        at,
        isTypeMeta ? undefined : correlation?.member(name),
        faults,
      );
    }
    for (const name of mustHave) {
      if (object[name] !== undefined) continue;
      const at = `${path}.${name}`;
      report(
        faults,
        faultAt(at, `${at} in body is required`, (field) => required(field)),
      );
    }
    return held;
  };
}

/** Faults of an unchanged value are forgiven. The same reference needs no check at all. */
function forgiving(
  check: Check,
  value: Json,
  path: string,
  correlation: Correlation | undefined,
  faults: Faults,
): number {
  if (correlation === undefined) return check(value, path, undefined, faults);
  if (correlation.value === correlation.old) return 0;
  const before = faults.length;
  const held = check(value, path, correlation, faults);
  if (faults.length > before && correlation.same) faults.length = before;
  return held;
}

function fieldChecks(schema: Schema): readonly (readonly [string, Check])[] {
  const found: [string, Check][] = [];
  for (const name in schema.properties) {
    const property = propertyOf(schema, name);
    if (property) found.push([name, compileCheck(property)]);
  }
  return found;
}

function checkSize(schema: Schema, object: JsonObject, path: string, faults: Faults): void {
  const { minProperties: least, maxProperties: most } = schema;
  const size = Object.keys(object).length;
  if (least !== undefined && size < least) {
    const text = `${path} in body should have at least ${least} properties`;
    report(
      faults,
      faultAt(path, text, (field) => invalid(field, size, text)),
    );
  }
  if (most !== undefined && size > most) {
    const text = `${path} in body should have at most ${most} properties`;
    report(
      faults,
      faultAt(path, text, (field) => tooMany(field, size, most)),
    );
  }
}

function reportStranger(path: string, name: string, faults: Faults): void {
  const text = `${path}.${name} in body is a forbidden property`;
  report(
    faults,
    faultAt(path, text, (field) => invalid(field, name, text)),
  );
}

function hasTwins(list: readonly Json[]): boolean {
  return list.some((item, at) => list.slice(0, at).some((other) => jsonEqual(item, other)));
}
