/** A change of one place that makes a bug of it. */
export interface Mutation {
  readonly name: string;
  /** Path from the root of the project. */
  readonly file: string;
  /** Text of the file, there exactly once. */
  readonly find: string;
  /** Type-correct, so that only a run can find it. */
  readonly replacement: string;
}

/** A deliberate bug: one rule of the product, broken. Its name is the rule, as what then happens. */
export interface Mutant extends Mutation {
  /** Test files that concern the rule; they are asked when the simulation does not notice. */
  readonly tests: readonly string[];
}

/** The file with the bug in it. Throws when the text is not there exactly once. */
export function mutated(source: string, { name, file, find, replacement }: Mutation): string {
  const count = source.split(find).length - 1;
  if (count === 1) return source.replace(find, () => replacement);
  const found = count === 0 ? 'is not in' : `is ${count} times in`;
  throw new Error(`the source moved on: mend the mutant "${name}": its text ${found} ${file}`);
}
