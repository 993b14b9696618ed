/** Runs scenarios in a process whose code has a bug. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Mutation } from '../mutants/mutant.ts';
import type { Scenario } from './scenario.ts';
import type { Shrunk } from './shrink.ts';

export interface MutatedTask {
  readonly mutation: Mutation;
  readonly scenario: Scenario;
  /** Absent: the scenario is played unchanged. */
  readonly search?: Search;
}

/** Searches a scenario that reveals the bug, if the given one no longer does. */
export interface Search {
  /** Required beginning of one of its violations. */
  readonly breaks: string;
  /** Number of candidates: first other seeds for the given scenario, then other scenarios. */
  readonly seeds: number;
  /** Number of earlier candidates to leave out. */
  readonly skip: number;
}

export type MutatedReply =
  | { readonly kind: 'played'; readonly violations: readonly string[] }
  /** `tried`: the number of candidates to leave out when the search continues. */
  | { readonly kind: 'found'; readonly tried: number; readonly shrunk: Shrunk }
  | { readonly kind: 'nothing' };

/** Far beyond any correct run, because a bug may make it endless. Milliseconds. */
const playLimitMs = 60_000;
const searchLimitMs = 15 * 60_000;

/** Rejects if the process ends without an answer: the mutated code cannot be loaded, or never ends. */
export function inMutated(task: MutatedTask): Promise<MutatedReply> {
  const child = fork(join(import.meta.dirname, 'mutated-worker.ts'), [], {
    execArgv: [],
    timeout: task.search === undefined ? playLimitMs : searchLimitMs,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.on('message', (reply: MutatedReply) => resolve(reply));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const why = `ended with ${code ?? signal ?? 'nothing'}: ${printed.slice(0, 2_000)}`;
      reject(new Error(`"${task.mutation.name}" ${why}`));
    });
    child.send(task);
  });
}
