/** `fieldPath` of a rule: `.spec.name`, `['x-y']` (apiextensions-apiserver ValidFieldPath). */
import { child, key } from '../field-path.ts';
import { propertyOf, valuesOf } from '../member-schema.ts';
import type { Schema } from '../schema.ts';

/** The path in the words of causes. Empty when it does not lead to a declared field. */
export function normalizedFieldPath(fieldPath: string | undefined, schema: Schema): string {
  if (fieldPath === undefined || fieldPath === '') return '';
  let path = '';
  let at = schema;
  let rest = fieldPath;
  while (rest !== '') {
    const step = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/.exec(rest);
    if (step === null) return '';
    const name = step[1] ?? unescaped(step[2] ?? '');
    const isObject = at.properties !== undefined;
    const next = isObject ? propertyOf(at, name) : valuesOf(at);
    if (next === undefined) return '';
    path = isObject ? child(path, name) : key(path, name);
    at = next;
    rest = rest.slice(step[0].length);
  }
  return path;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}
