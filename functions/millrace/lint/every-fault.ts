/**
 * Faults come in layers: rules are asked only about an object of the right shape. To report all of them in one run,
 * what a layer finds is repaired in a copy, and the copy is judged again.
 */
import type { Fault, Verdict } from '#shared/api/fault.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';

export interface Judged {
  readonly faults: readonly Fault[];
  /** The object without what is wrong; absent where that cannot be left out. */
  readonly repaired?: Json;
}

/** An object with more layers than this has been repaired in vain. */
const mostLayers = 16;

export function everyFault(validate: (manifest: Json) => Verdict<unknown>, manifest: Json): Judged {
  const repair = new Repair(manifest);
  const faults: Fault[] = [];
  for (let layer = 0; layer < mostLayers; layer += 1) {
    const verdict = validate(repair.copy);
    if (verdict.ok) return { faults, repaired: repair.copy };
    // Before the repair of this layer, whose consequences are told in the next one.
    faults.push(...verdict.faults.flatMap((fault) => repair.asWritten(fault)));
    // What is removed from a list moves what follows in it.
    const fromTheEnd = verdict.faults.toSorted((left, right) => byPlace(right.path, left.path));
    if (!fromTheEnd.every((fault) => repair.apply(fault))) break;
  }
  return { faults };
}

/** In names that a repair has given. */
const mark = '-other';

class Repair {
  readonly copy: Json;
  /** Indexes that were removed from a list, by its path, as they were written. */
  readonly #removed = new Map<string, number[]>();
  /** Fields that were repaired, and what they are part of. */
  readonly #touched = new Set<string>();
  readonly #renamed = new Map<string, string>();

  constructor(manifest: Json) {
    this.copy = structuredClone(manifest);
  }

  /** Nothing where a repair has caused it. */
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

  /** False where it cannot be repaired. */
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
      // It lacks something: the object itself is left out.
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

  /** A second item of the same name gets another one; a value is removed. */
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

/** `removed`: indexes as they were written, ascending. */
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

/** Of `spec.flows[0].labels[a.b/c]`. */
function keysOf(path: string): readonly string[] {
  return [...path.matchAll(/([^.[\]]+)|\[([^[\]]*)\]/g)].map(
    ([, word, bracketed]) => word ?? bracketed ?? '',
  );
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (isList(value)) return value[Number(key)];
  return isObject(value) ? ownMember(value, key) : undefined;
}
