/** The command line as a process, with its own state folder and without a kubeconfig. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { entryOf } from '#shared/runtime/testing/process-entry.ts';

/** The file that the launchers start. */
export const program = entryOf(join(import.meta.dirname, '..', 'main.ts'));

export interface CommandRun {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly exited: Promise<number | NodeJS.Signals>;
  /** The first match on standard output. Throws if the process ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** The same on standard error. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface CommandLine extends AsyncDisposable {
  readonly stateHome: string;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): CommandRun;
}

/** Ends all its processes when it is disposed. */
export async function commandLine(): Promise<CommandLine> {
  const stateHome = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  const runs: CommandRun[] = [];
  return {
    stateHome,
    start: (args, env = {}) => {
      const run = startRun(args, { ...cleanEnvironment(), XDG_STATE_HOME: stateHome, ...env });
      runs.push(run);
      return run;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { child, exited } of runs) {
        if (child.exitCode === null) child.kill('SIGKILL');
        await exited;
      }
      await rm(stateHome, { recursive: true, force: true });
    },
  };
}

/** Removes variables of the developer's terminal that would change the output. */
export function cleanEnvironment(): Record<string, string | undefined> {
  const hidden = ['KUBECONFIG', 'NO_COLOR', 'FORCE_COLOR', 'LANG', 'LC_ALL', 'LC_CTYPE'];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !hidden.includes(name)));
}

function startRun(args: readonly string[], env: Record<string, string | undefined>): CommandRun {
  return followed(
    spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

/** The output and the end of a process. */
export function followed(child: ChildProcessByStdio<null, Readable, Readable>): CommandRun {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = once(child, 'close').then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  );
  const matched = (stream: Readable, text: () => string, pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(text());
        if (match === null) return;
        stream.off('data', look);
        resolve(match);
      };
      stream.on('data', look);
      look();
      void exited.then((code) => {
        reject(new Error(`ended with ${code} before ${String(pattern)}:\n${stdout}\n${stderr}`));
      });
    });
  return {
    child,
    exited,
    stdout: () => stdout,
    stderr: () => stderr,
    printed: (pattern) => matched(child.stdout, () => stdout, pattern),
    said: (pattern) => matched(child.stderr, () => stderr, pattern),
  };
}
