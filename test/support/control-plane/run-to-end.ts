import { type ChildProcess, spawn } from 'node:child_process';

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
  /** Once aborted, a program that still runs is killed and told of by an error. Absent: never. */
  readonly signal?: AbortSignal;
}

/**
 * A non-zero exit is an answer, not an exception; rejects when the program cannot be started, and
 * when it is cut off, with the command and what it had printed.
 */
export function runToEnd(
  program: string,
  args: readonly string[],
  { input = '', env = process.env, signal }: RunOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    // In a session of its own: what asks for the terminal at /dev/tty would stop the tests with it
    // where they run in the background.
    const child = spawn(program, [...args], { env, detached: true });
    let stdout = '';
    let stderr = '';
    const cutOff = () => {
      end(child);
      const command = [program, ...args].join(' ');
      const printed = JSON.stringify(`${stdout}${stderr}`.slice(-2_000));
      reject(new Error(`still running when cut off: ${command}; it had printed ${printed}`));
    };
    signal?.addEventListener('abort', cutOff, { once: true });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => {
      signal?.removeEventListener('abort', cutOff);
      resolve({ stdout, stderr, code: code ?? 1 });
    });
    child.stdin.on('error', () => {
      // It ended without reading its input; its exit code and stderr say why.
    });
    child.stdin.end(input);
  });
}

/** With its own children, which may hold its streams open. */
function end(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // Gone with all its children.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}
