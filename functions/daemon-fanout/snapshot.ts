/** What daemon-fanout decides on: everything it may know, as plain JSON, so that a record replays it. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { Ineligibility } from '#shared/domain/node-eligibility.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { ChildrenSnapshot } from '#shared/parents/children-snapshot.ts';
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

export interface DaemonSnapshot extends ChildrenSnapshot {
  readonly daemonJob: DaemonJob;
  /** By name. Empty also when nothing about nodes matters any more. */
  readonly nodes: readonly ObservedNode[];
  /** Of the parts of the spec that may not change after the start; absent when they cannot have. */
  readonly specHash?: string;
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
