/** Exit codes of the command line; 0 is success. The README lists them. */
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

/** What a command cannot do, in words for the person at the terminal. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;
  /** One command to run, or one thing to do. */
  readonly next: string;

  constructor(exitCode: number, message: string, next: string) {
    super(message);
    this.exitCode = exitCode;
    this.next = next;
  }
}
