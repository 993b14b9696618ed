import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { added, type BatchReport, emptyReport } from './batch.ts';
import type { Shape } from './random-scenario.ts';

/** Seeds for a worker: `count` of them, from `from`. */
export interface Assignment {
  readonly from: number;
  readonly count: number;
  readonly shape: Shape;
}

export interface Finished {
  readonly report: BatchReport;
  /** CPU time in milliseconds. */
  readonly cpuMs: number;
}

export interface ParallelOptions extends Assignment {
  readonly workers?: number;
  /** Called after each portion; returns whether to continue. */
  readonly onProgress?: (report: BatchReport) => boolean;
}

const portion = 100;
/**
 * MiB. Most objects of a run are garbage at its end. A nursery for a dozen runs avoids copying the others. It is
 * set from the start, because the default grows only with surviving objects.
 */
const nurseryMiB = 128;

/** Later workers reuse the compiled code of earlier ones. */
const compiledCode = join(
  import.meta.dirname,
  '../../node_modules/.cache/millrace-simulation-code',
);

/** Divides the seeds among processes. Rejects if one fails other than by a violation. */
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
    // Every core has a worker, so collecting on several threads would only take CPU from the others.
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
