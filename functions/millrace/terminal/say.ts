import { printable } from '#shared/domain/printable.ts';

/** A line of data. Names and messages are other people's; in JSON they are escaped as well. */
export function say(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}
