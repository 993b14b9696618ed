/**
 * Freezes a JSON value with everything in it, in place. A frozen value is assumed to be frozen
 * throughout. So this is cheap for objects that share most of their parts with older ones.
 */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    for (const item of value) frozen(item as unknown);
  } else {
    for (const key in value) frozen(value[key]);
  }
  return Object.freeze(value);
}
