import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, KubeObject } from '#shared/domain/objects.ts';
import { ownMember, setOwnMember } from '#shared/domain/own-member.ts';

type Keep = (object: KubeObject) => KubeObject;

/**
 * Keeps everything that at least one of the functions keeps. All keep parts of the same object, so they
 * never contradict each other. Of a list that some shorten, the longest version is kept.
 */
export function unionOf(keeps: readonly Keep[]): Keep {
  const different = [...new Set(keeps)];
  const [only] = different;
  // An object that no watcher asks for appears only while it leaves: a child that has lost its label.
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
