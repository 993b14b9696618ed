/** Runs scenarios in a process of its own whose code has a bug. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Mutation } from '../mutants/mutant.ts';
import type { Scenario } from './scenario.ts';
import type { Shrunk } from './shrink.ts';

export interface MutatedTask {
  readonly mutation: Mutation;
  readonly scenario: Scenario;
  /** Absent: the scenario is played as it is. */
  readonly search?: Search;
}

/** For a scenario that notices the bug, where the given one does not any more. */
export interface Search {
  /** How one of its violations has to begin. */
  readonly breaks: string;
  /** So many: first of other seeds for the given scenario, then of other scenarios. */
  readonly seeds: number;
  /** Candidates to leave out, those that were tried before. */
  readonly skip: number;
}

export type MutatedReply =
  | { readonly kind: 'played'; readonly violations: readonly string[] }
  /** `tried`: candidates up to this one, to be left out when the search goes on. */
  | { readonly kind: 'found'; readonly tried: number; readonly shrunk: Shrunk }
  | { readonly kind: 'nothing' };

/** Far beyond any healthy run: a bug may make it endless. Milliseconds. */
const playLimitMs = 60_000;
const searchLimitMs = 15 * 60_000;

/** Rejects when the process ends without an answer: the mutated code cannot be loaded, or never ends. */
export function inMutated(task: MutatedTask): Promise<MutatedReply> {
  const child = fork(join(import.meta.dirname, 'mutated-worker.ts'), [], {
    execArgv: [],
    timeout: task.search === undefined ? playLimitMs : searchLimitMs,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    let told = '';
    child.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
    child.on('message', (reply: MutatedReply) => resolve(reply));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const why = `ended with ${code ?? signal ?? 'nothing'}: ${told.slice(0, 2_000)}`;
      reject(new Error(`"${task.mutation.name}" ${why}`));
    });
    child.send(task);
  });
}
