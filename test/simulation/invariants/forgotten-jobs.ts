/** Invariants of a flow's Jobs when it ends. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { type FlowMemory, type JobMemory, recordsOf } from './flow-memory.ts';

export interface FlowEnd {
  readonly flow: JobFlow;
  readonly memory: FlowMemory;
  /** The ending run must know everything committed until then, in virtual milliseconds. */
  readonly lookedAtMs: number;
  /** Whether the Job still has its label. */
  readonly isFound: (job: JobMemory) => boolean;
}

/**
 * I5: a step that is recorded as never started has no Job. A Job created since the last look cannot be known.
 *     One that was deleted or lost its label may be overlooked.
 */
export function forgottenJobs({ flow, memory, lookedAtMs, isFound }: FlowEnd): readonly string[] {
  return recordsOf(flow).flatMap(({ name, state, attempt = 0 }) => {
    if (state !== 'Skipped') return [];
    const job = memory.jobs.find(
      (each) => each.step === name && each.attempt === attempt && each.createdAtMs <= lookedAtMs,
    );
    const isForgotten = job !== undefined && !job.isDeleted && !job.isStray && isFound(job);
    return isForgotten ? [`I5: ended without ${name}, whose Job is there (${job.name})`] : [];
  });
}
