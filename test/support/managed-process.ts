import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OrphanGuard } from './orphan-guard.ts';

export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  /** In addition to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard output and error are appended here, also after restarts. */
  readonly logFile: string;
  readonly guard: OrphanGuard;
}

/** A child process that can be killed and started again with the same command line. */
export class ManagedProcess {
  readonly #spec: ProcessSpec;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();

  constructor(spec: ProcessSpec) {
    this.#spec = spec;
  }

  get name(): string {
    return basename(this.#spec.command);
  }

  get logFile(): string {
    return this.#spec.logFile;
  }

  /** Undefined while it is not running. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    if (this.#child !== undefined) throw new Error(`${this.name} is running already`);
    const log = openSync(this.#spec.logFile, 'a');
    // In its own process group, because a Ctrl-C in the terminal must not end it before the ordered
    // stop.
    const child = spawn(this.#spec.command, [...this.#spec.args], {
      detached: true,
      env: { ...process.env, ...this.#spec.env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    const { pid } = child;
    if (pid !== undefined) this.#spec.guard.watch(pid);
    this.#exited = new Promise((resolve) => {
      const gone = () => {
        if (pid !== undefined) this.#spec.guard.forget(pid);
        this.#child = undefined;
        resolve();
      };
      child.once('exit', gone);
      child.once('error', gone);
    });
  }

  /** Sends the signal and waits until the process has ended. Does nothing if it is not running. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#child?.kill(signal);
    await this.#exited;
  }

  /** SIGTERM, then SIGKILL if it has not ended after `graceMs`. */
  async stop(graceMs = 5_000): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    try {
      await this.kill('SIGTERM');
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Polls `ready` until it is true. If the process ends first, or after `timeoutMs`, throws with
   * the end of the log.
   */
  async waitUntil(ready: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await ready())) {
      if (this.pid === undefined) throw await this.#failure('ended before it was ready');
      if (Date.now() > deadline) throw await this.#failure(`not ready after ${timeoutMs} ms`);
      await sleep(25);
    }
  }

  async #failure(what: string): Promise<Error> {
    const log = await readFile(this.#spec.logFile, 'utf8').catch(() => '');
    const tail = log.trimEnd().split('\n').slice(-20).join('\n');
    return new Error(`${this.name} ${what}; the end of its log:\n${tail}`);
  }
}
