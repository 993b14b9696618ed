import type { Json } from './objects.ts';

export const redacted = '[redacted]';

/**
 * A copy in which no environment variable has its value: in every list called `env`, the `value` of
 * each entry is replaced. Names and references (`valueFrom`) stay. Repeating it changes nothing.
 */
export function redactEnv<Value>(value: Value): Value {
  return redactJson(value as Json, '') as Value;
}

function redactJson(value: Json | undefined, key: string): Json | undefined {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    return items.map((item) =>
      key === 'env' ? redactVariable(item) : (redactJson(item, '') ?? null),
    );
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, redactJson(member, name)]),
  );
}

function redactVariable(variable: Json): Json {
  if (variable === null || typeof variable !== 'object' || Array.isArray(variable)) return redacted;
  return 'value' in variable ? { ...variable, value: redacted } : variable;
}
