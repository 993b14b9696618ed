import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, KubeObject } from '#shared/domain/objects.ts';
import { ownMember, setOwnMember } from '#shared/domain/own-member.ts';

type Keep = (object: KubeObject) => KubeObject;

/**
 * Keeps what one of them keeps. Each keeps parts of the same object, so that they never contradict
 * one another; lists that one of them has shortened come from the one that kept more.
 */
export function unionOf(keeps: readonly Keep[]): Keep {
  const different = [...new Set(keeps)];
  const [only] = different;
  // What nobody asks for comes by only on its way out: a child that has lost its label.
  if (only === undefined) return (object) => object;
  if (different.length === 1) return only;
  return (object) => {
    const parts = different.map((keep) => keep(object) as unknown as Json);
    return parts.reduce((left, right) => united(left, right)) as unknown as KubeObject;
  };
}

function united(left: Json, right: Json): Json {
  if (isList(left) && isList(right)) {
    if (left.length !== right.length) return left.length > right.length ? left : right;
    return left.map((item, index) => united(item, right[index] ?? item));
  }
  if (!isObject(left) || !isObject(right)) return left;
  const union: Record<string, Json | undefined> = { ...left };
  for (const [name, value] of Object.entries(right)) {
    if (value === undefined) continue;
    const known = ownMember(union, name);
    setOwnMember(union, name, known === undefined ? value : united(known, value));
  }
  return union;
}
