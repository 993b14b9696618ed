/** The members of a JSON value, and those that were read, as paths: `jobs[].suspend`. */
import { isList, isObject } from '#shared/domain/json-value.ts';

/** Every path in the value that leads to a leaf. */
export function pathsIn(value: unknown, paths = new Set<string>(), at = ''): Set<string> {
  if (value === undefined || value === null) return paths;
  paths.add(at);
  if (isList(value)) {
    for (const item of value) pathsIn(item, paths, `${at}[]`);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) pathsIn(member, paths, below(at, name));
  }
  return paths;
}

/** The same value. Every read of a member, present or not, is recorded in `paths`. */
export function recorded<Value>(value: Value, paths: Set<string>, at = ''): Value {
  if (typeof value !== 'object' || value === null) return value;
  const members = new Map<string, unknown>();
  const note = (name: string | symbol): string | undefined => {
    if (typeof name === 'symbol') return undefined;
    if (!Array.isArray(value)) {
      if (name in Object.prototype || name === 'toJSON') return undefined;
      paths.add(below(at, name));
      return below(at, name);
    }
    return /^\d+$/.test(name) ? `${at}[]` : undefined;
  };
  return new Proxy(value, {
    get(target, name) {
      const path = note(name);
      const member: unknown = Reflect.get(target, name);
      if (path === undefined || typeof name === 'symbol') return member;
      if (!members.has(name)) members.set(name, recorded(member, paths, path));
      return members.get(name);
    },
    has(target, name) {
      note(name);
      return Reflect.has(target, name);
    },
  });
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
