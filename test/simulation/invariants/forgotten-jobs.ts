/** What must hold of the Jobs of a flow at the moment it ends. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { type FlowMemory, type JobMemory, recordsOf } from './flow-memory.ts';

export interface FlowEnd {
  readonly flow: JobFlow;
  readonly memory: FlowMemory;
  /** The run that ended it has to know what was committed until then, virtual milliseconds. */
  readonly lookedAtMs: number;
  /** Whether the Job still tells whose it is. */
  readonly isFound: (job: JobMemory) => boolean;
}

/**
 * I5: a step that is told as never started has no Job. One that was created since the last look nobody can know
 * of, and one that was deleted, or lost its label, may be overlooked.
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
