/**
 * Texts and numbers that Go's decoder refuses, whatever the field means: quantities (apimachinery
 * resource.ParseQuantity), numbers of 32 bits, metav1.MicroTime.
 */
import type { Json } from '#shared/domain/objects.ts';
import { quantityFault } from '../apimachinery/quantity.ts';
import type { Schema } from '../schema/schema.ts';

type Check = (value: Json) => string | undefined;

/**
 * The first fault in the decoder's words. Frozen parts come from the store and are skipped, as are
 * parts of a schema without such values.
 */
export function scalarFault(value: Json, schema: Schema): string | undefined {
  return checkOf(schema)?.(value);
}

const checks = new WeakMap<Schema, Check | 'none'>();

function checkOf(schema: Schema): Check | undefined {
  let known = checks.get(schema);
  if (known === undefined) {
    known = scalars[schema.format ?? ''] ?? containerCheck(schema) ?? 'none';
    checks.set(schema, known);
  }
  return known === 'none' ? undefined : known;
}

const scalars: Readonly<Record<string, Check>> = {
  quantity: (value) => {
    const isText = typeof value === 'string' || typeof value === 'number';
    return isText ? quantityFault(String(value)) : undefined;
  },
  int32: (value) => {
    if (typeof value !== 'number' || (value | 0) === value) return undefined;
    return `json: cannot unmarshal number ${value} into Go value of type int32`;
  },
  'micro-time': (value) => (typeof value === 'string' ? microTimeFault(value) : undefined),
};

function containerCheck({ items, additionalProperties, properties }: Schema): Check | undefined {
  if (items !== undefined) return eachOf(items);
  if (typeof additionalProperties === 'object') return eachOf(additionalProperties);
  const checked = Object.entries(properties ?? {}).flatMap(([name, schema]) => {
    const check = checkOf(schema);
    return check === undefined ? [] : [[name, check] as const];
  });
  return checked.length === 0 ? undefined : fieldsCheck(checked);
}

function eachOf(schema: Schema): Check | undefined {
  const check = checkOf(schema);
  if (check === undefined) return undefined;
  return (value) => {
    if (!isOpen(value)) return undefined;
    for (const item of Object.values(value)) {
      const fault = item === null || item === undefined ? undefined : check(item);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

function fieldsCheck(checked: readonly (readonly [string, Check])[]): Check {
  return (value) => {
    if (!isOpen(value)) return undefined;
    for (const [name, check] of checked) {
      const field = (value as Readonly<Record<string, Json | undefined>>)[name];
      const fault = field === null || field === undefined ? undefined : check(field);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

function isOpen(value: Json): value is Exclude<Json, string | number | boolean | null> {
  return typeof value === 'object' && value !== null && !Object.isFrozen(value);
}

const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const microFraction = /^\.\d{6}(?:Z|[+-]\d\d:\d\d)$/;

/** Exactly six digits of a second. */
function microTimeFault(text: string): string | undefined {
  const [seconds] = microTime.exec(text) ?? [];
  const rest = text.slice(seconds?.length ?? 0);
  if (seconds !== undefined && microFraction.test(rest)) return undefined;
  const layout = seconds === undefined ? '2006' : '.000000';
  const shown = `${JSON.stringify(text)} as "2006-01-02T15:04:05.000000Z07:00"`;
  return `parsing time ${shown}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(layout)}`;
}
