import { createInterface } from 'node:readline/promises';
import { CommandFailure, exitCodes } from '../command-failure.ts';

export interface ConfirmOptions {
  /** The answer, given beforehand. */
  readonly yes?: boolean;
  /** False: never ask. */
  readonly input?: boolean;
}

/** What a person answers on. */
interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** The options of what was typed decide what is meant, so they are not spelled out here. */
const insteadOf = 'the same command with --yes';

/**
 * Returns after a yes; anything but `y` or `yes` is a no. Throws CommandFailure after a no, and where nobody can answer.
 */
export async function requireConfirmed(
  question: string,
  { yes = false, input: mayAsk = true }: ConfirmOptions,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (yes) return;
  const isTerminal = input.isTTY === true && output.isTTY === true;
  if (!mayAsk || !isTerminal) {
    const why = mayAsk ? 'Nobody can answer: this is no terminal' : 'Nobody is asked: --no-input';
    throw new CommandFailure(exitCodes.usage, `${question} ${why}`, insteadOf);
  }
  const terminal = createInterface({ input, output });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    terminal.close();
  }
  throw new CommandFailure(exitCodes.general, 'the answer was no: nothing was done', insteadOf);
}
