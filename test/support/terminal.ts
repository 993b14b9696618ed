/** Commands as typed in a terminal in the repository's folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import {
  cleanEnvironment,
  type CommandRun,
  followed,
  program,
} from '#functions/millrace/testing/cli.ts';
import { runToEnd } from './control-plane/run-to-end.ts';

export interface TerminalOptions {
  /** The program that the typed name `kubectl` runs. */
  readonly kubectl: string;
  /** Folder of the user's own files: kubeconfigs and state of programs. */
  readonly home: string;
}

const root = join(import.meta.dirname, '../..');
/**
 * The program that npx starts here. npx takes longer than most commands; lasting commands are started through it, as
 * typed.
 */
const millrace = `node ${program}`;
/** Below the timeout of a test, so that the failure names the command. */
const patienceMs = 100_000;

export class Terminal implements AsyncDisposable {
  readonly #env: NodeJS.ProcessEnv;
  readonly #running: CommandRun[] = [];

  constructor({ kubectl, home }: TerminalOptions) {
    const path = [dirname(kubectl), process.env['PATH']].join(':');
    this.#env = { ...cleanEnvironment(), PATH: path, HOME: home, XDG_STATE_HOME: home };
  }

  /** For all later commands. */
  export(name: string, value: string): void {
    this.#env[name] = value;
  }

  /** Its standard output. Throws with its own message if the exit code differs. */
  async type(command: string, { code: wanted = 0, folder = root } = {}): Promise<string> {
    const args = ['-C', folder, 'sh', '-c', command.replaceAll('npx millrace', millrace)];
    const signal = AbortSignal.timeout(patienceMs);
    // The launcher sets it under npx.
    const env = command.includes('npx millrace')
      ? { ...this.#env, MILLRACE_PROGRAM: 'npx millrace' }
      : this.#env;
    const { stdout, stderr, code } = await runToEnd('env', args, { env, signal });
    if (code === wanted) return `${stdout}${code === 0 ? '' : stderr}`;
    throw new Error(`${command} exited with ${code}: ${stderr}${stdout}`);
  }

  /** Runs in the foreground of its own terminal until it is interrupted. */
  start(command: string): CommandRun {
    const child = spawn('sh', ['-c', command], {
      ...{ cwd: root, env: this.#env, detached: true },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const run = followed(child);
    this.#running.push(run);
    return run;
  }

  /** Ctrl-C: a signal to every foreground process. */
  async interrupt(run: CommandRun): Promise<void> {
    this.#running.splice(this.#running.indexOf(run), 1);
    const { child } = run;
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGINT');
      await once(child, 'close');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const run of [...this.#running]) await this.interrupt(run);
  }
}
