/** Commands as a person types them in a terminal whose folder is the repository. */
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
  /** The program; what is typed finds it by its name. */
  readonly kubectl: string;
  /** Where the person's own files are: kubeconfigs and what programs keep. */
  readonly home: string;
}

const root = join(import.meta.dirname, '../..');
/** What npx starts here. It takes longer than most commands do; those that stay are started by it as they are typed. */
const millrace = `node ${program}`;
/** Below what a test may take, so that the failure tells which command it waited for. */
const patienceMs = 100_000;

export class Terminal implements AsyncDisposable {
  readonly #env: NodeJS.ProcessEnv;
  readonly #running: CommandRun[] = [];

  constructor({ kubectl, home }: TerminalOptions) {
    const path = [dirname(kubectl), process.env['PATH']].join(':');
    this.#env = { ...cleanEnvironment(), PATH: path, HOME: home, XDG_STATE_HOME: home };
  }

  /** From now on. */
  export(name: string, value: string): void {
    this.#env[name] = value;
  }

  /** What it prints on its standard output; throws with its own words when it ends with another code. */
  async type(command: string, { code: wanted = 0, folder = root } = {}): Promise<string> {
    const args = ['-C', folder, 'sh', '-c', command.replaceAll('npx millrace', millrace)];
    const signal = AbortSignal.timeout(patienceMs);
    const { stdout, stderr, code } = await runToEnd('env', args, { env: this.#env, signal });
    if (code === wanted) return `${stdout}${code === 0 ? '' : stderr}`;
    throw new Error(`${command} exited with ${code}: ${stderr}${stdout}`);
  }

  /** Stays in the foreground of a terminal of its own, until it is interrupted. */
  start(command: string): CommandRun {
    const child = spawn('sh', ['-c', command], {
      ...{ cwd: root, env: this.#env, detached: true },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const run = followed(child);
    this.#running.push(run);
    return run;
  }

  /** Ctrl-C: every process of the foreground is told. */
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
