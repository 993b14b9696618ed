/**
 * Access to members by names that are not known in advance. Every object inherits `constructor`,
 * `toString` and `__proto__`, and users may choose these names. A lint rule enforces this
 * (own-members-rule.ts).
 */

/** Undefined: the object has no such member of its own. */
export function ownMember<Value>(
  object: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

export function setOwnMember<Value>(
  object: Record<string, Value>,
  name: string,
  value: Value,
): void {
  // A plain assignment to this name sets the prototype instead.
  if (name === '__proto__') {
    Object.defineProperty(object, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else object[name] = value;
}
