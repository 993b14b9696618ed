/** Why an object does not continue, as data. `millrace why -o json` prints it. */
import { splitCommand } from '../picture/split-command.ts';
import type { Cause } from './explanation-schema.ts';

export type { Cause, Explanation, Named } from './explanation-schema.ts';

/** The command of the first cause that has one, innermost causes first. */
export function nextOf(causes: readonly Cause[]): string | undefined {
  for (const { because, next } of causes) {
    const found = nextOf(because) ?? next;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first command in a message. Millrace ends a message with one if it shows more. */
export function commandIn(message: string): string | undefined {
  return splitCommand(message).command?.slice('kubectl '.length);
}
