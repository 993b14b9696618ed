import { spawn } from 'node:child_process';

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface RunOptions {
  /** Given on standard input. */
  readonly input?: string;
  /** Absent: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A non-zero exit is an answer, not an exception; rejects when the program cannot be started. */
export function runToEnd(
  program: string,
  args: readonly string[],
  { input = '', env = process.env }: RunOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { env });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ stdout, stderr, code: code ?? 1 }));
    child.stdin.on('error', () => {
      // It ended without reading its input; its exit code and stderr say why.
    });
    child.stdin.end(input);
  });
}
