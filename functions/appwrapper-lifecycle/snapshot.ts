/** What appwrapper-lifecycle decides on: everything it may know, as plain JSON, so that a record replays it. */
import type { AppWrapper } from '#shared/api/app-wrapper.ts';
import type { ObjectKey, Resource, Uid } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { WrapperRules } from './rules.ts';
import type { End } from './subscription/ends.ts';

export interface LifecycleSnapshot {
  readonly key: ObjectKey;
  readonly wrapper: AppWrapper;
  /** Parallel to `spec.components`. Empty where the phase needs none of it. */
  readonly components: readonly ObservedComponent[];
  /** What carries the wrapper's labels, in the order of their names. */
  readonly pods: readonly ObservedPod[];
  /** What the API server refused when the decision on this same snapshot was carried out. */
  readonly rejections: readonly Rejection[];
  /** Absent: the defaults. */
  readonly rules?: WrapperRules;
}

export interface ObservedComponent {
  /** Absent: the cluster serves no such kind. */
  readonly resource?: Resource;
  /** What has the component's name, if it belongs to the wrapper. Absent: the API server knows of none. */
  readonly object?: ObservedObject;
}

export interface ObservedObject {
  readonly uid: Uid;
  readonly isDeleting: boolean;
  /** What keeps it while it is being deleted, beside its own Pods. Absent: nothing. */
  readonly keptBy?: readonly string[];
  /** Absent: it has not ended, or its kind does not say so. */
  readonly end?: End;
}

export interface ObservedPod {
  readonly name: string;
  readonly uid: Uid;
  readonly phase: string;
  readonly isDeleting: boolean;
  /** Index of the component that it is of. Absent: of none that is known. */
  readonly component?: number;
  /** Of its containers that ended with another code than 0, but for init containers. */
  readonly exitCodes: readonly number[];
  /** It runs, and a resource that it wants is broken there. */
  readonly brokenNode?: BrokenNode;
}

export interface BrokenNode {
  readonly name: string;
  /** As `nvidia.com/gpu`. */
  readonly resource: string;
  /** Of the node, as `KEY=VALUE`: by it the resource is broken. */
  readonly label: string;
}
