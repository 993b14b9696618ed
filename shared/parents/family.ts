import type { Uid } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';

/** The children of one parent. */
export interface Family {
  readonly owner: Uid;
  readonly namespace: string;
  readonly jobs: readonly ObservedJob[];
  /** This Job's result is in the status that was read, or is no longer needed. */
  readonly isRecorded: (job: ObservedJob) => boolean;
}
