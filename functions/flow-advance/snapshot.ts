/** Everything that flow-advance may know when it decides, as plain JSON, so that a record can be replayed. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { ChildrenSnapshot } from '#shared/parents/children-snapshot.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';
import type { Rejection } from '#shared/domain/rejection.ts';

export interface ObservedTemplate {
  readonly name: string;
  readonly uid: Uid;
  readonly generation: number;
  /** Hash of the JobSpec as it is in the cluster. decide never hashes, so redaction does not change it. */
  readonly hash: string;
  readonly jobTemplate: JobSpec;
  /** The user who last changed it: the text of its annotation. Absent: it has none. */
  readonly submitter?: string;
  /** Proves later that flow-advance pinned this (pin-seal.ts). Absent: nothing is pinned. */
  readonly seal?: string;
  /** Size of jobTemplate and submitter as JSON, before redaction. Measured only if the size may cause a refusal. */
  readonly bytes?: number;
}

/** A pinned template that flow-advance did not write, or wrote under a key that no longer exists. */
export interface ReplacedPin {
  readonly name: string;
  /** Generation of the JobTemplate that replaces it. Absent: there is none. */
  readonly generation?: number;
}

export interface FlowSnapshot extends ChildrenSnapshot {
  readonly flow: JobFlow;
  /** JobTemplates that this decision may need. Null: there is none of this name. */
  readonly templates: Readonly<Record<string, ObservedTemplate | null>>;
  /** Pins that were dropped from the flow's status and differ from the current JobTemplates. Absent: none. */
  readonly replacedPins?: readonly ReplacedPin[];
  /** Hash of the frozen parts of the spec. Absent: they cannot have changed. */
  readonly flowsHash?: string;
  /** The same for each step alone. Present exactly when flowsHash is. */
  readonly stepHashes?: string;
  /** Size of the spec as JSON, before redaction. Measured before the start, for a retry, and when pins are replaced. */
  readonly specBytes?: number;
  /** Sizes of the recorded pins, by name. Measured for a retry, and when pins are replaced. */
  readonly pinBytes?: Readonly<Record<string, number>>;
  /**
   * Names that Blocked steps wait for and that foreign Jobs under deletion still have, so a create
   * would be refused. Absent: none.
   */
  readonly heldNames?: readonly Rejection[];
}

export function withRejections(
  snapshot: FlowSnapshot,
  rejections: readonly Rejection[],
): FlowSnapshot {
  return { ...snapshot, rejections: [...snapshot.rejections, ...rejections] };
}

export function withWarnings(
  snapshot: FlowSnapshot,
  warnings: readonly WriteWarning[],
): FlowSnapshot {
  return { ...snapshot, warnings: [...(snapshot.warnings ?? []), ...warnings] };
}
