/** What daemon-fanout decides on: everything it may know, as plain JSON, so that a record replays it. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { Ineligibility } from '#shared/domain/node-eligibility.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';

/** A node, reduced to what decisions depend on; labels and taints have had their say in `skip`. */
export interface ObservedNode {
  readonly name: string;
  readonly uid: Uid;
  /** What stands for it in the ledger. */
  readonly key: string;
  readonly creationTimestamp?: string;
  /** Why it cannot run the Pod; absent: it can. */
  readonly skip?: Ineligibility;
  /** It does not report that it is ready. */
  readonly isSilent?: true;
}

export interface DaemonSnapshot {
  readonly daemonJob: DaemonJob;
  /** By name. Empty also when nothing about nodes matters any more. */
  readonly nodes: readonly ObservedNode[];
  /** By name. Empty also when nothing can have been started, or nothing about children matters any more. */
  readonly jobs: readonly ObservedJob[];
  /**
   * Names of Jobs that the status says exist, or that were seen, and that are really gone: not in the
   * list, and not found by name either. A started Job in neither is not judged (the view may be behind).
   */
  readonly confirmedMissing: readonly string[];
  /**
   * A Job that is removed before the status tells of it would be in `confirmedMissing`: so what the Jobs
   * show may be written down later.
   */
  readonly noticesRemovals?: true;
  /** Of the parts of the spec that may not change after the start; absent when they cannot have. */
  readonly specHash?: string;
  /** What the API server refused when the decision on this same snapshot was carried out. */
  readonly rejections: readonly Rejection[];
  /** What it lost of the Jobs that were created then. Absent: nothing. */
  readonly warnings?: readonly WriteWarning[];
}

export function withRejections(
  snapshot: DaemonSnapshot,
  rejections: readonly Rejection[],
): DaemonSnapshot {
  return { ...snapshot, rejections: [...snapshot.rejections, ...rejections] };
}

export function withWarnings(
  snapshot: DaemonSnapshot,
  warnings: readonly WriteWarning[],
): DaemonSnapshot {
  return { ...snapshot, warnings: [...(snapshot.warnings ?? []), ...warnings] };
}
