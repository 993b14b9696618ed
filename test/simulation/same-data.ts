/** A fast comparison of mostly equal values. Callers have a slower one for different values. */

/** Whether both are certainly equal: plain objects and lists with the same members, in any order. */
export function isSameData(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (left === null || right === null) return false;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => isSameData(item, right[index]))
    );
  }
  return isPlain(left) && isPlain(right) && haveSameMembers(left, right);
}

type Members = Readonly<Record<string, unknown>>;

function isPlain(value: object): value is Members {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function haveSameMembers(left: Members, right: Members): boolean {
  let count = 0;
  for (const name in left) {
    if (!Object.hasOwn(right, name) || !isSameData(left[name], right[name])) return false;
    count += 1;
  }
  for (const name in right) {
    if (Object.hasOwn(right, name)) count -= 1;
  }
  return count === 0;
}
