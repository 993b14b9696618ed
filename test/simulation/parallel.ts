import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { added, type BatchReport, emptyReport } from './batch.ts';
import type { Shape } from './random-scenario.ts';

/** Seeds for a worker: `count` of them, beginning with `from`. */
export interface Assignment {
  readonly from: number;
  readonly count: number;
  readonly shape: Shape;
}

export interface Finished {
  readonly report: BatchReport;
  /** Time of the processor that it took, milliseconds. */
  readonly cpuMs: number;
}

export interface ParallelOptions extends Assignment {
  readonly workers?: number;
  /** Told after each portion; returns whether to go on. */
  readonly onProgress?: (report: BatchReport) => boolean;
}

const portion = 100;
/**
 * Most of what a run makes is garbage at its end: a nursery that holds a dozen runs, MiB, spares copying what lives
 * on. From the beginning: it would grow with what survives, and that is little.
 */
const nurseryMiB = 128;

/** What one worker has compiled the next need not. */
const compiledCode = join(
  import.meta.dirname,
  '../../node_modules/.cache/millrace-simulation-code',
);

/** Divides the seeds among processes. Rejects when one of them fails other than by a violation. */
export async function runParallel(options: ParallelOptions): Promise<Finished> {
  const { from, count, shape, onProgress = () => true } = options;
  const workers = Math.min(options.workers ?? availableParallelism(), Math.ceil(count / portion));
  let next = from;
  let report = emptyReport;
  let cpuMs = 0;
  const assignment = (): Assignment | undefined => {
    if (next >= from + count) return undefined;
    const assigned = { from: next, count: Math.min(portion, from + count - next), shape };
    next += assigned.count;
    return assigned;
  };
  const finished = (portionDone: Finished): void => {
    report = added(report, portionDone.report);
    cpuMs += portionDone.cpuMs;
    if (!onProgress(report)) next = from + count;
  };
  await Promise.all(Array.from({ length: workers }, () => work(assignment, finished)));
  return { report, cpuMs };
}

function work(
  assignment: () => Assignment | undefined,
  finished: (done: Finished) => void,
): Promise<void> {
  const worker = fork(join(import.meta.dirname, 'batch-worker.ts'), [], {
    // Every core has a worker: collecting on several threads would only take turns with the others.
    env: { ...process.env, NODE_COMPILE_CACHE: compiledCode },
    execArgv: [
      ...process.execArgv,
      `--min-semi-space-size=${nurseryMiB}`,
      `--max-semi-space-size=${nurseryMiB}`,
      '--single-threaded-gc',
    ],
  });
  return new Promise((resolve, reject) => {
    const assign = (): void => {
      const assigned = assignment();
      if (assigned === undefined) end(worker, resolve);
      else worker.send(assigned);
    };
    worker.on('message', (done: Finished) => {
      finished(done);
      assign();
    });
    worker.on('error', reject);
    worker.on('exit', (code) => {
      if (code !== 0) reject(new Error(`a worker ended with code ${code ?? 'none'}`));
    });
    assign();
  });
}

function end(worker: ChildProcess, ended: () => void): void {
  worker.removeAllListeners('exit');
  worker.on('exit', () => ended());
  worker.disconnect();
}
