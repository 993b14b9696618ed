/**
 * Keywords of a schema that concern one value alone, in the order and words of
 * k8s.io/kube-openapi/pkg/validation/validate.
 */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import { invalid, notSupported, tooLong, typeInvalid } from '../apimachinery/cause.ts';
import { faultAt, placelessFault, report, type Faults } from './fault.ts';
import { formatOf } from './formats.ts';
import { goFloat, goNumber, goQuote, isInteger } from '../apimachinery/go-text.ts';
import { PatternFault, tryPattern } from './pattern.ts';
import type { Schema } from './schema.ts';

export type ValueCheck = (value: Json, path: string, faults: Faults) => number;

/** The types that a schema allows. Empty: any. */
export function typesOf(schema: Schema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

/** Undefined when the schema does not restrict types. Returns 1 when the type is right. */
export function typeCheck(schema: Schema): ValueCheck {
  const types = typesOf(schema);
  const allowed = new Set(types);
  const names = types.join(',');
  const format = formatOf(schema);
  const takesNumbers = allowed.has('integer') || allowed.has('number');
  const mismatch = (path: string, wanted: string, found: string, faults: Faults) => {
    const text = `${path} in body must be of type ${wanted}: ${goQuote(found)}`;
    report(
      faults,
      faultAt(path, text, (field) => typeInvalid(field, found, text)),
    );
    return 0;
  };
  return (value, path, faults) => {
    if (value === null) {
      if (types.length === 0 || schema.nullable === true) return 1;
      return mismatch(path, names, 'null', faults);
    }
    const found = typeOf(value);
    if (allowed.has(found) || (found === 'integer' && allowed.has('number'))) return 1;
    if (format !== undefined) {
      const isScalar = found !== 'string' && found !== 'array';
      if (isScalar) return mismatch(path, format, goFormat(found), faults);
      // The API server also accepts a list in place of a formatted string.
      if (!takesNumbers) return 1;
    }
    if (types.length === 0) return 1;
    return mismatch(path, names, found, faults);
  };
}

/** Length in characters (Unicode code points) and pattern; only the first fault is reported. */
export function stringCheck(
  schema: Schema,
): ((value: string, path: string, faults: Faults) => void) | undefined {
  const { minLength, maxLength, pattern } = schema;
  if (minLength === undefined && maxLength === undefined && pattern === undefined) return undefined;
  const expression = pattern === undefined || pattern === '' ? undefined : tryPattern(pattern);
  // A pattern that Go cannot compile is reported with each text that it should match, not before.
  const wanted =
    expression instanceof PatternFault
      ? `${pattern}, but pattern is invalid: ${expression.message}`
      : (pattern ?? '');
  const isMatch = expression instanceof PatternFault ? () => false : expression?.test;
  return (value, path, faults) => {
    if (maxLength !== undefined && value.length > maxLength && lengthOf(value) > maxLength) {
      const text = `${path} in body should be at most ${maxLength} chars long`;
      report(
        faults,
        faultAt(path, text, (field) => tooLong(field, maxLength)),
      );
    } else if (minLength !== undefined && lengthOf(value) < minLength) {
      const text = `${path} in body should be at least ${minLength} chars long`;
      report(
        faults,
        faultAt(path, text, (field) => invalid(field, value, text)),
      );
    } else if (isMatch?.(value) === false) {
      const text = `${path} in body should match '${wanted}'`;
      report(
        faults,
        faultAt(path, text, (field) => invalid(field, value, text)),
      );
    }
  };
}

/** Range of the format, multipleOf, minimum and maximum. */
export function numberCheck(schema: Schema): (value: number, path: string, faults: Faults) => void {
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const range = rangeCheck(schema);
  return (value, path, faults) => {
    const bound = (limit: number) =>
      isInteger(value) ? goNumber(Math.trunc(limit)) : goFloat(limit);
    const fail = (words: string) => {
      const text = `${path} in body should be ${words}`;
      report(
        faults,
        faultAt(path, text, (field) => invalid(field, value, text)),
      );
    };
    range(value, 'Checked', path, faults);
    if (multipleOf !== undefined) {
      range(multipleOf, 'MultipleOf', path, faults);
      const factor = isInteger(value) ? Math.trunc(multipleOf) : multipleOf;
      if (factor <= 0) reportFactor(factor, path, faults);
      else if (!isMultiple(value, factor)) fail(`a multiple of ${bound(factor)}`);
    }
    if (minimum !== undefined) {
      range(minimum, 'Minimum boundary', path, faults);
      const least = isInteger(value) ? Math.trunc(minimum) : minimum;
      if (exclusiveMinimum === true) {
        if (value <= least) fail(`greater than ${bound(minimum)}`);
      } else if (value < least) fail(`greater than or equal to ${bound(minimum)}`);
    }
    if (maximum !== undefined) {
      range(maximum, 'Maximum boundary', path, faults);
      const most = isInteger(value) ? Math.trunc(maximum) : maximum;
      if (exclusiveMaximum === true) {
        if (value >= most) fail(`less than ${bound(maximum)}`);
      } else if (value > most) fail(`less than or equal to ${bound(maximum)}`);
    }
  };
}

export function enumCheck(
  allowed: readonly Json[],
): (value: Json, path: string, faults: Faults) => void {
  return (value, path, faults) => {
    if (allowed.some((item) => isEnumValue(value, item))) return;
    const text = `${path} in body should be one of [${allowed.map(String).join(' ')}]`;
    report(
      faults,
      faultAt(path, text, (field) => notSupported(field, value, allowed)),
    );
  };
}

export function typeOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInteger(value) ? 'integer' : 'number';
  return value === null ? 'null' : typeof value;
}

function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) >>> 10 === 0x36) length -= 1;
  }
  return length;
}

/** A whole number in the schema also admits the fractions that are truncated to it. */
function isEnumValue(value: Json, allowed: Json): boolean {
  if (value === null || allowed === null) return false;
  if (typeof value === 'number' && typeof allowed === 'number' && isInteger(allowed)) {
    return Math.trunc(value) === allowed;
  }
  return jsonEqual(value, allowed);
}

/** For whole numbers, a factor below 1 counts as not positive. */
function reportFactor(factor: number, path: string, faults: Faults): void {
  const text = `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`;
  report(
    faults,
    faultAt(path, text, (field) => invalid(field, factor, text)),
  );
}

function isMultiple(value: number, factor: number): boolean {
  if (isInteger(value)) return value % factor === 0;
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  const error = Math.abs(times - Math.round(times));
  if (Math.abs(times) > 2 ** 53) return false;
  return error === 0 || error / (2 * Math.abs(times)) < 1e-9;
}

function rangeCheck(
  schema: Schema,
): (value: number, what: string, path: string, faults: Faults) => void {
  const [type] = typesOf(schema).length === 1 ? typesOf(schema) : [];
  const format = formatOf(schema);
  const fits = (value: number) => {
    if (type === 'integer') {
      if (!isInteger(value)) return false;
      return format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31);
    }
    return type !== 'number' || format !== 'float' || Number.isFinite(Math.fround(value));
  };
  return (value, what, path, faults) => {
    if (fits(value)) return;
    const kind =
      format === undefined ? `${type} (default format)` : `${type} with format ${format}`;
    report(faults, placelessFault(`${what} value must be of type ${kind} in ${path}`));
  };
}

/** Go's name for the format of a value without a format in JSON. */
function goFormat(type: string): string {
  if (type === 'integer') return 'int64';
  return type === 'number' ? 'float64' : '';
}
