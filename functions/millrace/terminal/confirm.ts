import { createInterface } from 'node:readline/promises';
import { CommandFailure, exitCodes } from '../command-failure.ts';

export interface ConfirmOptions {
  /** Answers the question beforehand. */
  readonly yes?: boolean;
  /** False: never ask. */
  readonly input?: boolean;
}

/** Where the question is printed and the answer is read. */
interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** The command depends on the options that were typed, so they are not repeated here. */
const insteadOf = 'the same command with --yes';

/**
 * Returns after a yes. Any answer other than `y` or `yes` is a no. Throws CommandFailure after a no, and without a
 * terminal.
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
