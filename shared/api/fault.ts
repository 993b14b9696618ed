/** One thing that is wrong with an object. */
export interface Fault {
  /** As the API server writes it: `spec.flows[0].name`. Empty for the object itself. */
  readonly path: string;
  /** For people: the value found, what is allowed. */
  readonly message: string;
}

export type Verdict<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly faults: readonly [Fault, ...Fault[]] };

export function verdictOf<Value>(value: Value, faults: readonly Fault[]): Verdict<Value> {
  const [first, ...rest] = faults;
  return first === undefined ? { ok: true, value } : { ok: false, faults: [first, ...rest] };
}

/** Path of a member: `.name` of an object, `[index]` of a list. */
export function memberPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  return parent === '' ? key : `${parent}.${key}`;
}

/** A short rendering of a value that was found, never more than a line. */
export function found(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'nothing';
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

/** Longer words than names of fields and steps are no misspelling of one. */
const longestWord = 64;
/** Of similar length; more of them take longer than a hint is worth. */
const mostCompared = 100;

/** The candidate that a misspelt word most likely means, or undefined when none is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined;
  let nearest: string | undefined;
  // Two swapped letters are a distance of two; a short word says too little for that.
  let distance = (word.length <= 3 ? 1 : Math.max(2, Math.floor(word.length / 3))) + 1;
  let compared = 0;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= distance) continue;
    const next = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (next < distance) [nearest, distance] = [candidate, next];
    compared += 1;
    if (compared === mostCompared) break;
  }
  return nearest;
}

/** Hints for the first few words of one object: who has misspelt thousands has not misspelt. */
export class Hints {
  readonly #candidates: ReadonlySet<string>;
  #left = 3;

  constructor(candidates: ReadonlySet<string>) {
    this.#candidates = candidates;
  }

  nearTo(word: string): string | undefined {
    if (this.#left === 0) return undefined;
    this.#left -= 1;
    return didYouMean(word, this.#candidates);
  }
}

/** Levenshtein distance, one row at a time. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < right.length; j += 1) {
      const replaced = (row[j] ?? 0) + (left[i] === right[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
