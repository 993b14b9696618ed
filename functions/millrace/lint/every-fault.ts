/**
 * Faults come in layers: some rules are checked only for an object of valid shape. To report all faults in one run,
 * the faults of a layer are repaired in a copy, and the copy is checked again.
 */
import type { Fault, Verdict } from '#shared/api/fault.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';

export interface Judged {
  readonly faults: readonly Fault[];
  /** The object without its faults, as the API server reads it. Absent: they cannot be removed. */
  readonly repaired?: Json;
}

/** After this many layers the repair has failed. */
const mostLayers = 16;

export function everyFault(validate: (manifest: Json) => Verdict<unknown>, manifest: Json): Judged {
  const repair = new Repair(manifest);
  const faults: Fault[] = [];
  for (let layer = 0; layer < mostLayers; layer += 1) {
    const verdict = validate(repair.copy);
    if (verdict.ok) return { faults, repaired: verdict.value as Json };
    // Collected before this layer is repaired: the repair changes paths.
    faults.push(...verdict.faults.flatMap((fault) => repair.asWritten(fault)));
    // From the end, because a removal from a list moves the later items.
    const fromTheEnd = verdict.faults.toSorted((left, right) => byPlace(right.path, left.path));
    if (!fromTheEnd.every((fault) => repair.apply(fault))) break;
  }
  return { faults };
}

/** Suffix of names that a repair has given. */
const mark = '-other';

class Repair {
  readonly copy: Json;
  /** Original indexes of removed list items, by the path of the list. */
  readonly #removed = new Map<string, number[]>();
  /** Repaired fields and their parents. */
  readonly #touched = new Set<string>();
  readonly #renamed = new Map<string, string>();

  constructor(manifest: Json) {
    this.copy = structuredClone(manifest);
  }

  /** The fault in terms of the original. Empty if a repair caused it. */
  asWritten({ path, message }: Fault): readonly Fault[] {
    const written = this.#written(path);
    if (this.#touched.has(written)) return [];
    const renamed = message.includes(mark) ? [...this.#renamed] : [];
    const words = renamed.reduce(
      (text, [name, original]) => text.replaceAll(name, original),
      message,
    );
    return [{ path: written, message: words }];
  }

  /** False: it cannot be repaired. */
  apply({ path }: Fault): boolean {
    const written = this.#written(path);
    const keys = keysOf(path);
    const last = keys.at(-1);
    const parent = keys.slice(0, -1).reduce<Json | undefined>(memberOf, this.copy);
    if (last === undefined || parent === undefined) return false;
    const value = memberOf(parent, last);
    if (isList(parent)) return this.#repairItem(parent as Json[], Number(last), path);
    if (!isObject(parent)) return false;
    const object = parent as Record<string, Json>;
    if (value === undefined && last === 'name') {
      object[last] = this.#newName('unnamed', '');
    } else if (value === undefined) {
      // A member is missing, so the object itself is removed.
      const holder = parentOf(path);
      return holder !== 'spec' && holder !== '' && this.apply({ path: holder, message: '' });
    } else {
      Reflect.deleteProperty(object, last);
    }
    this.#touch(written);
    return true;
  }

  #touch(written: string): void {
    this.#touched.add(written).add(parentOf(written));
  }

  /** A second item of the same name is renamed. A plain value is removed. */
  #repairItem(list: Json[], index: number, path: string): boolean {
    const item = list[index];
    if (item === undefined) return false;
    if (isObject(item)) {
      const { name } = item;
      const isTwice = list.filter((each) => isObject(each) && each['name'] === name).length > 1;
      if (typeof name !== 'string' || !isTwice) return false;
      list[index] = { ...item, name: this.#newName(name.slice(0, 20), name) };
      this.#touch(this.#written(`${path}.name`));
      return true;
    }
    const at = path.slice(0, path.lastIndexOf('['));
    const removed = this.#removed.get(at) ?? [];
    this.#removed.set(at, [...removed, indexAsWritten(index, removed)].sort(ascending));
    list.splice(index, 1);
    return true;
  }

  #newName(stem: string, original: string): string {
    const name = `${stem}${mark}${this.#renamed.size}`;
    this.#renamed.set(name, original);
    return name;
  }

  #written(path: string): string {
    let at = '';
    return path.replaceAll(/\[(\d+)\]|[^[]+|\[[^[\]]*\]/g, (part, digits: string | undefined) => {
      const removed = digits === undefined ? undefined : this.#removed.get(at);
      at += part;
      return removed === undefined ? part : `[${indexAsWritten(Number(digits), removed)}]`;
    });
  }
}

/** `removed`: original indexes in ascending order. */
function indexAsWritten(index: number, removed: readonly number[]): number {
  return removed.reduce((at, each) => (each <= at ? at + 1 : at), index);
}

function byPlace(left: string, right: string): number {
  const [ours, others] = [keysOf(left), keysOf(right)];
  const at = ours.findIndex((key, index) => key !== others[index]);
  const [own = '', other = ''] = [ours[at], others[at]];
  return Number(own) - Number(other) || compareTexts(own, other) || ours.length - others.length;
}

const ascending = (left: number, right: number): number => left - right;

function parentOf(path: string): string {
  const { index = 0 } = /(\.[^.[\]]+|\[[^[\]]*\])$/.exec(path) ?? {};
  return path.slice(0, index);
}

/** Splits a path such as `spec.flows[0].labels[a.b/c]`. */
function keysOf(path: string): readonly string[] {
  return [...path.matchAll(/([^.[\]]+)|\[([^[\]]*)\]/g)].map(
    ([, word, bracketed]) => word ?? bracketed ?? '',
  );
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (isList(value)) return value[Number(key)];
  return isObject(value) ? ownMember(value, key) : undefined;
}
