import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';

/** What is known of the children of a parent, as plain JSON, so that a record replays it. */
export interface ChildrenSnapshot {
  /** Empty also when nothing can have been started, or nothing about children matters any more. */
  readonly jobs: readonly ObservedJob[];
  /**
   * Names of Jobs that the status says exist, or that were seen, and that are really gone: not in the
   * list, and not found by name either. A started Job in neither is not judged (the view may be behind).
   */
  readonly confirmedMissing: readonly string[];
  /**
   * A Job that is removed before the status records it would be in `confirmedMissing`: so what the Jobs
   * show may be written down later.
   */
  readonly noticesRemovals?: true;
  /** What the API server refused when the decision on this same snapshot was carried out. */
  readonly rejections: readonly Rejection[];
  /** What it lost of the Jobs that were created then. Absent: nothing. */
  readonly warnings?: readonly WriteWarning[];
}
