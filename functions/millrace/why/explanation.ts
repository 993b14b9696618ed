/** Why an object does not go on, as data: `millrace why -o json` prints it. */
import { splitCommand } from '../picture/split-command.ts';
import type { Cause } from './explanation-schema.ts';

export type { Cause, Explanation, Named } from './explanation-schema.ts';

/** The command of the first cause that has one, from the innermost on. */
export function nextOf(causes: readonly Cause[]): string | undefined {
  for (const { because, next } of causes) {
    const found = nextOf(because) ?? next;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first command in a message; Millrace ends its words with one where it knows which shows more. */
export function commandIn(message: string): string | undefined {
  return splitCommand(message).command?.slice('kubectl '.length);
}
