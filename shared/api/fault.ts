/** One fault of an object. */
export interface Fault {
  /** In the API server's form: `spec.flows[0].name`. Empty for the object itself. */
  readonly path: string;
  /** For people: the value and what is allowed. */
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

/** A short form of a value, at most a line. */
export function found(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'nothing';
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

/** A longer word is not a misspelt name of a field or step. */
const longestWord = 64;
/** Most candidates of similar length that are compared: more would take too long for a hint. */
const mostCompared = 100;

/** The candidate that a misspelt word most likely means, or undefined if none is close. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined;
  let nearest: string | undefined;
  // Two swapped letters are a distance of two; for a short word that is too far.
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

/** Hints for the first few words of one object: thousands of unknown words are not misspelt. */
export class Hints {
  readonly #candidates: ReadonlySet<string>;
  #left = 3;

  constructor(candidates: ReadonlySet<string>) {
    this.#candidates = candidates;
  }

  /** `except` cannot be meant, such as the step itself among its dependencies. */
  nearTo(word: string, except?: string): string | undefined {
    if (this.#left === 0) return undefined;
    this.#left -= 1;
    return didYouMean(
      word,
      [...this.#candidates].filter((candidate) => candidate !== except),
    );
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
