/** Everything that appwrapper-lifecycle may know when it decides, as plain JSON, so that a record can be replayed. */
import type { AppWrapper } from '#shared/api/app-wrapper.ts';
import type { ObjectKey, Resource, Uid } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { WrapperRules } from './rules.ts';
import type { End } from './subscription/ends.ts';

export interface LifecycleSnapshot {
  readonly key: ObjectKey;
  readonly wrapper: AppWrapper;
  /** Parallel to `spec.components`. Empty: the phase needs none of them. */
  readonly components: readonly ObservedComponent[];
  /** Pods with the wrapper's labels, by name. */
  readonly pods: readonly ObservedPod[];
  /** Writes that the API server refused when the decision on this snapshot was applied. */
  readonly rejections: readonly Rejection[];
  /** Absent: the defaults. */
  readonly rules?: WrapperRules;
}

export interface ObservedComponent {
  /** Absent: the cluster does not serve this kind, or cannot say so. */
  readonly resource?: Resource;
  /** The object with the component's name, if the wrapper owns it. Absent: the API server has none. */
  readonly object?: ObservedObject;
  /** An object has the component's name, and another owner or none. */
  readonly isOthers?: true;
  /** Why Millrace cannot read it, and what to do. Absent: it can. */
  readonly unreadable?: string;
}

export interface ObservedObject {
  readonly uid: Uid;
  readonly isDeleting: boolean;
  /** Things other than its own Pods that keep it while it is being deleted. Absent: none. */
  readonly keptBy?: readonly string[];
  /** Absent: it has not ended, or its kind does not report its end. */
  readonly end?: End;
}

export interface ObservedPod {
  readonly name: string;
  readonly uid: Uid;
  readonly phase: string;
  readonly isDeleting: boolean;
  /** Index of its component. Absent: no known one. */
  readonly component?: number;
  /** Codes other than 0 of its ended containers, without init containers. */
  readonly exitCodes: readonly number[];
  /** Why a Pending Pod does not run, as `REASON: MESSAGE`. Absent: nothing was reported, or it is not Pending. */
  readonly trouble?: string;
  /** Set if it runs on a node where a resource that it requests is broken. */
  readonly brokenNode?: BrokenNode;
}

export interface BrokenNode {
  readonly name: string;
  /** For example `nvidia.com/gpu`. */
  readonly resource: string;
  /** The node's label that marks the resource as broken, as `KEY=VALUE`. */
  readonly label: string;
}
