/** Millrace ends its messages with `; kubectl ...` if a command shows more. */
const command = /; (kubectl [^;)]+)/;

export interface SplitMessage {
  /** The message without the command. */
  readonly words: string;
  readonly command?: string;
}

export function splitCommand(message: string): SplitMessage {
  const [, found] = command.exec(message) ?? [];
  return found === undefined
    ? { words: message }
    : { words: message.replace(command, ''), command: found };
}
