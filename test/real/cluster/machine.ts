/** See machine.sh. Root and Linux only. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, openSync, closeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type CommandResult, runToEnd } from '#test/support/control-plane/run-to-end.ts';
import { ManagedProcess } from '#test/support/managed-process.ts';
import type { OrphanGuard } from '#test/support/orphan-guard.ts';

const run = promisify(execFile);
const script = join(import.meta.dirname, 'machine.sh');

export class Machine {
  readonly #name: string;
  readonly #folder: string;
  readonly #holder: ManagedProcess;
  #pid = '';

  constructor(name: string, folder: string, guard: OrphanGuard) {
    this.#name = name;
    this.#folder = folder;
    this.#holder = new ManagedProcess({
      command: 'bash',
      args: [script, 'up', name, folder],
      logFile: join(folder, 'machine.log'),
      guard,
    });
  }

  async up(): Promise<void> {
    this.#holder.start();
    while (!existsSync(join(this.#folder, 'ready'))) {
      if (this.#holder.pid === undefined) {
        throw new Error(`no machine: ${await readFile(join(this.#folder, 'machine.log'), 'utf8')}`);
      }
      await sleep(50);
    }
    // `exec` keeps the pid: it is unshare's, and its child is the first process inside.
    const children = `/proc/${this.#holder.pid}/task/${this.#holder.pid}/children`;
    this.#pid = (await readFile(children, 'utf8')).trim();
  }

  /** With it ends every process inside. */
  async down(): Promise<void> {
    await this.#holder.kill();
    await run('bash', [script, 'down', this.#name, this.#folder]);
  }

  /** In the background; its output goes to `<name>.log`. */
  start(
    name: string,
    command: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): void {
    const log = openSync(join(this.#folder, `${name}.log`), 'a');
    const options = { env: { ...process.env, ...env }, stdio: ['ignore', log, log] as const };
    spawn('nsenter', inside(this.#pid, command), {
      ...options,
      stdio: ['ignore', log, log],
    }).unref();
    closeSync(log);
  }

  /** See {@link runInside}. */
  run(command: readonly string[], input?: string): Promise<CommandResult> {
    return runInside(this.#pid, command, input);
  }

  /** Of its first process: what leads into it. */
  get pid(): string {
    return this.#pid;
  }
}

/** To its end; a non-zero exit is an answer. `pid` is that of a machine. */
export function runInside(
  pid: string,
  command: readonly string[],
  input = '',
): Promise<CommandResult> {
  return runToEnd('nsenter', inside(pid, command), { input });
}

function inside(pid: string, command: readonly string[]): string[] {
  return ['-t', pid, '-m', '-n', '-p', '--', ...command];
}
