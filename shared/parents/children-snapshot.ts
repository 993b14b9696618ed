import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';

/** The known state of a parent's children, as plain JSON, so that a record can be replayed. */
export interface ChildrenSnapshot {
  /** Also empty if nothing can have been started, or children no longer matter. */
  readonly jobs: readonly ObservedJob[];
  /**
   * Names of Jobs that were recorded or seen and are certainly gone: neither listed nor found by name. A
   * started Job that is in neither list is not judged, because the view may be behind.
   */
  readonly confirmedMissing: readonly string[];
  /**
   * A Job that is removed before the status records it would be in `confirmedMissing`. So the state of
   * Jobs may be recorded later.
   */
  readonly noticesRemovals?: true;
  /** Writes that the API server refused when the decision on this snapshot was carried out. */
  readonly rejections: readonly Rejection[];
  /** Fields that it dropped from the Jobs created then. Absent: none. */
  readonly warnings?: readonly WriteWarning[];
}
