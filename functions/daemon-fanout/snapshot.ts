/** Everything that daemon-fanout may know when it decides, as plain JSON, so that a record can be replayed. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { Ineligibility } from '#shared/domain/node-eligibility.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { ChildrenSnapshot } from '#shared/parents/children-snapshot.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';

/** A node, reduced to what decisions depend on. `skip` already includes labels and taints. */
export interface ObservedNode {
  readonly name: string;
  readonly uid: Uid;
  /** Its key in the ledger. */
  readonly key: string;
  readonly creationTimestamp?: string;
  /** Why it cannot run the Pod. Absent: it can. */
  readonly skip?: Ineligibility;
  /** The node does not report that it is ready. */
  readonly isSilent?: true;
}

export interface DaemonSnapshot extends ChildrenSnapshot {
  readonly daemonJob: DaemonJob;
  /** By name. Empty also if nodes no longer matter. */
  readonly nodes: readonly ObservedNode[];
  /** Hash of the frozen parts of the spec. Absent: they cannot have changed. */
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
