import { printable } from '#shared/domain/printable.ts';

/** Prints a line of data. Names and messages may contain control characters, so they are escaped. */
export function say(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}
