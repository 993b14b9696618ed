import type { Uid } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';

/** The children of one parent. */
export interface Family {
  readonly owner: Uid;
  readonly namespace: string;
  readonly jobs: readonly ObservedJob[];
  /** The result of this Job stands in the status that was read, or nobody waits for it any more. */
  readonly isRecorded: (job: ObservedJob) => boolean;
}
