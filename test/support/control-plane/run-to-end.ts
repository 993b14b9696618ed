import { type ChildProcess, spawn } from 'node:child_process';

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface RunOptions {
  /** Given on standard input. */
  readonly input?: string;
  /** Absent: this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** When it aborts, a running program is killed and reported by an error. Absent: never. */
  readonly signal?: AbortSignal;
}

/**
 * A non-zero exit is a result, not an exception. Rejects with the command and its output if the
 * program cannot be started or is killed.
 */
export function runToEnd(
  program: string,
  args: readonly string[],
  { input = '', env = process.env, signal }: RunOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    // In a session of its own: a program that asks for the terminal at /dev/tty would stop
    // background tests.
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
      // It ended without reading its input; exit code and stderr say why.
    });
    child.stdin.end(input);
  });
}

/** Kills its children too, which may hold its streams open. */
function end(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // It and all its children are gone.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}
