/** What flow-advance decides on: everything it may know, as plain JSON, so that a record replays it. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import type { ResourceVersion, Uid } from '#shared/domain/objects.ts';
import type { PodFailure } from '#shared/domain/pod-failure.ts';
import type { PodTrouble } from '#shared/domain/pod-trouble.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';
import type { Rejection } from '#shared/domain/rejection.ts';

/** batch/v1 JobCondition. */
export interface JobCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** What the Pods of a Job say about it. */
export interface ObservedPods {
  /** By the Job's own count. */
  readonly active: number;
  readonly failed: number;
  /** The problem that has lasted longest. */
  readonly trouble?: PodTrouble & { readonly pod: string };
  /** The failure that came last. */
  readonly failure?: PodFailure & { readonly pod: string };
}

/** A child Job, reduced to what decisions depend on. Its controller is the flow (checked by uid). */
export interface ObservedJob {
  readonly name: string;
  readonly uid: Uid;
  /** Of a suspended one only: it is resumed as it was seen, or not at all. */
  readonly resourceVersion?: ResourceVersion;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly suspend: boolean;
  /** Seconds. */
  readonly ttlSecondsAfterFinished?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly conditions: readonly JobCondition[];
  /** Absent: the decision does not depend on them, or they were not there to be asked. */
  readonly pods?: ObservedPods;
}

export interface ObservedTemplate {
  readonly name: string;
  readonly uid: Uid;
  readonly generation: number;
  /** Of the JobSpec as it is in the cluster; decide never hashes, so redaction does not change it. */
  readonly hash: string;
  readonly jobTemplate: JobSpec;
  /** Of the jobTemplate as JSON, before redaction; measured only while the flow may be refused for it. */
  readonly bytes?: number;
}

export interface FlowSnapshot {
  readonly flow: JobFlow;
  /** Empty also when nothing can have been started, or nothing about children matters any more. */
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
  /** The JobTemplates that this decision may need; null: there is none of this name. */
  readonly templates: Readonly<Record<string, ObservedTemplate | null>>;
  /** Of the parts of the spec that may not change after the start; absent when they cannot have. */
  readonly flowsHash?: string;
  /** Of the spec as JSON, before redaction; measured only before the start. */
  readonly specBytes?: number;
  /**
   * Names that Blocked steps wait for and that somebody else's Jobs under deletion still have: asking
   * for such a Job would be refused. Absent: none.
   */
  readonly heldNames?: readonly Rejection[];
  /** What the API server refused when the decision on this same snapshot was carried out. */
  readonly rejections: readonly Rejection[];
  /** What it lost of the Jobs that were created then. Absent: nothing. */
  readonly warnings?: readonly WriteWarning[];
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
