/** What flow-advance decides on: everything it may know, as plain JSON, so that a record replays it. */
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
  /** Of the JobSpec as it is in the cluster; decide never hashes, so redaction does not change it. */
  readonly hash: string;
  readonly jobTemplate: JobSpec;
  /** Who last changed it: the text of its annotation, absent where it has none. */
  readonly submitter?: string;
  /** Proves later that this is what was pinned (pin-seal.ts); absent where nothing is pinned. */
  readonly seal?: string;
  /** Of the jobTemplate and its submitter as JSON, before redaction; measured only while the flow or its retry may be refused for it. */
  readonly bytes?: number;
}

/** A pinned template that flow-advance did not write, or wrote under a key that is gone. */
export interface ReplacedPin {
  readonly name: string;
  /** Of the JobTemplate that takes its place. Absent: there is none. */
  readonly generation?: number;
}

export interface FlowSnapshot extends ChildrenSnapshot {
  readonly flow: JobFlow;
  /** The JobTemplates that this decision may need; null: there is none of this name. */
  readonly templates: Readonly<Record<string, ObservedTemplate | null>>;
  /** Pins that were left out of the status of the flow, and differ from the JobTemplates of now. Absent: none. */
  readonly replacedPins?: readonly ReplacedPin[];
  /** Of the parts of the spec that may not change after the start; absent when they cannot have. */
  readonly flowsHash?: string;
  /** The same for each step by itself; there is the one where there is the other. */
  readonly stepHashes?: string;
  /** Of the spec as JSON, before redaction; measured only before the start, for a retry, and where pins are replaced. */
  readonly specBytes?: number;
  /** The same of the pins on record, by their names; measured only for a retry, and where pins are replaced. */
  readonly pinBytes?: Readonly<Record<string, number>>;
  /**
   * Names that Blocked steps wait for and that somebody else's Jobs under deletion still have: asking
   * for such a Job would be refused. Absent: none.
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
