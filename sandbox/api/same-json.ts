/** Equality of JSON values that share structure: what is the same reference is not walked through. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    return false;
  }
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, position) => sameJson(item, right[position]))
    );
  }
  return !Array.isArray(right) && sameMembers(left as Members, right as Members);
}

type Members = Readonly<Record<string, unknown>>;

function sameMembers(left: Members, right: Members): boolean {
  let count = 0;
  for (const key in left) {
    const value = left[key];
    if (value === undefined) continue;
    if (!sameJson(value, right[key])) return false;
    count += 1;
  }
  for (const key in right) {
    if (right[key] !== undefined) count -= 1;
  }
  return count === 0;
}
