import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { entryOf } from './process-entry.ts';

export interface ChildMain {
  /** The address, once it is ready. Rejects if the process ends before. */
  readonly url: Promise<string>;
  /** Parsed log lines so far. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly pid: number;
  readonly exit: Promise<{ readonly code: number | null; readonly stderr: string }>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a main.ts as a process with only this environment. */
export function startMain(path: string, env: Readonly<Record<string, string>>): ChildMain {
  const child = spawn(process.execPath, [entryOf(path)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: Record<string, unknown>[] = [];
  const stderr: string[] = [];
  const ready = Promise.withResolvers<string>();
  // A test that expects a failed start never reads the URL.
  ready.promise.catch(() => undefined);
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString()));
  createInterface(child.stdout).on('line', (text) => {
    const line = JSON.parse(text) as Record<string, unknown>;
    lines.push(line);
    if (line['msg'] === 'ready') ready.resolve(String(line['url']));
  });
  const exit = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.once('close', (code) => {
      ready.reject(new Error(`ended with ${String(code)}: ${stderr.join('')}`));
      resolve({ code, stderr: stderr.join('') });
    });
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${process.execPath} was not started`);
  return { url: ready.promise, lines, pid, exit, kill: (signal) => child.kill(signal) };
}
