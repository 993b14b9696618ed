import { createInterface } from 'node:readline/promises';
import { CommandFailure, exitCodes } from '../command-failure.ts';

/**
 * Asks on the terminal; anything but `y` or `yes` is a no. `insteadOf`: the command that does not ask. Throws
 * CommandFailure where nobody can answer.
 */
export async function isConfirmed(question: string, insteadOf: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CommandFailure(
      exitCodes.usage,
      `${question} Nobody can answer: this is no terminal`,
      insteadOf,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
