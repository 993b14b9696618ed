/** Exit codes of the command line; 0 is success. */
export const exitCodes = {
  general: 1,
  usage: 2,
  unchanged: 3,
  notFound: 4,
  invalidInput: 5,
  timeout: 6,
  flowFailed: 7,
  unreachable: 8,
  findings: 9,
  interrupted: 130,
} as const;

export type ExitWord = keyof typeof exitCodes;

/** Texts for the help and for the reference of the commands. */
export const exitMeanings: Readonly<Record<ExitWord, string>> = {
  general: 'something else failed',
  usage: 'the command line is wrong',
  unchanged: 'nothing has changed, and `--error-unchanged` asks for it',
  notFound: 'there is no such object',
  invalidInput: 'a file or object is not as it has to be',
  timeout: 'it took longer than was allowed',
  flowFailed: 'the object that was followed has failed',
  unreachable: 'the API server, the queue or a function cannot be reached',
  findings: 'a replay differs, a manifest has a fault, a check fails, a function parks',
  interrupted: 'it was interrupted',
};

export function exitWordOf(exitCode: number): ExitWord {
  const words = Object.keys(exitCodes) as ExitWord[];
  return words.find((word) => exitCodes[word] === exitCode) ?? 'general';
}

/** Why a command failed, worded for the user. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;
  /** One command to run, or one thing to do next. */
  readonly next: string;

  constructor(exitCode: number, message: string, next: string) {
    super(message);
    this.exitCode = exitCode;
    this.next = next;
  }
}
