import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { HostProcess } from '../process/run-main.ts';

export interface TestHost extends HostProcess {
  /** Simulates the signal. */
  signal(name: 'SIGTERM' | 'SIGINT'): void;
  /** The first exit code. */
  readonly exited: Promise<number>;
  readonly exitCodes: readonly number[];
  printed(): string;
}

/** The host of a main.ts, without a process that would end. */
export function testHost(
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): TestHost {
  const signals = new EventEmitter();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const chunks: Buffer[] = [];
  for (const stream of [stdout, stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const exitCodes: number[] = [];
  const { promise, resolve } = Promise.withResolvers<number>();
  return {
    argv: ['node', 'main.ts', ...args],
    env,
    stdout,
    stderr,
    on: (name, listener) => signals.on(name, listener),
    exit: (code) => {
      exitCodes.push(code);
      resolve(code);
    },
    signal: (name) => signals.emit(name, name),
    exited: promise,
    exitCodes,
    printed: () => Buffer.concat(chunks).toString(),
  };
}
