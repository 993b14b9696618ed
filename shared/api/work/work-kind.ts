/**
 * A kind of work: what runs Pods or lets them run. One record for each kind, as data; who suspends work, queues it or
 * judges it derives its list from `work-kinds.ts` and names no kind.
 */
import type { JsonObject, KubeObject, Resource } from '#shared/domain/objects.ts';
import type { Queueing } from './queueing/queueing.ts';
import type { Submission } from './submission/submission.ts';
import type { PlacedPod } from './placed-pod.ts';

export interface WorkKind {
  readonly resource: Resource;
  /** It comes with Millrace: what it creates is its own to suspend. Absent: a kind of Kubernetes or of others. */
  readonly isOurs?: true;
  /** What serves it need not be installed. */
  readonly isOptional?: true;
  /** Absent: no policy governs it. */
  readonly suspension?: Suspension;
  /** All its Pods are alike, as `spec.template` says. Absent: policies neither count nor place them. */
  readonly pods?: {
    /** What those that run at once request together, by resource. */
    readonly requestsOf: (object: KubeObject) => Readonly<Record<string, number>>;
    /** Where they may run. */
    readonly placedPodOf: (object: KubeObject) => PlacedPod;
  };
  /** Name of the PriorityClass of its Pods. Absent: they may differ. */
  readonly priorityClassOf?: (object: KubeObject) => string | undefined;
  /** Its objects make Jobs, as admission judges them. Absent: it does not judge them. */
  readonly submission?: Submission;
  /** Kueue knows it by default: an object of it may wait in a queue, and what it owns waits with it. */
  readonly isQueued?: true;
  /** How it waits in a queue as a whole. Absent: Millrace makes no Workload of it. */
  readonly queueing?: Queueing;
}

/** How policies hold an object of the kind, and what they have to know for it. */
export interface Suspension extends Switch {
  /** Nothing of it is left to run: no policy governs it any more. */
  readonly hasEnded: (state: WorkState) => boolean;
  /** It has Pods that run, or that are still terminating. */
  readonly isActive: (state: WorkState) => boolean;
  /** While it is suspended, what runs of it goes on and nothing new starts. Absent: never so. */
  readonly stopsOnlyStarts?: (state: WorkState) => boolean;
  /** Many of them belong to objects of ours, and are not governed then. */
  readonly isChildToo?: true;
  /** It was started once. Absent: as counts and start time of a Job say. */
  readonly hasRun?: (state: WorkState) => boolean;
  /** The value of `spec.managedBy` that says what its absence says. Absent: none does. */
  readonly ownController?: string;
  /** Others wait in it: it has no Pods, no place and no annotations of its own. */
  readonly isQueue?: true;
  /** What views keep of an object for policies. Absent: all but some metadata. Applied twice it gives the same. */
  readonly keep?: (object: KubeObject) => KubeObject;
  /** What the reference of policies says about it, a sentence. */
  readonly says?: string;
}

export interface WorkState {
  readonly spec: JsonObject;
  readonly status: JsonObject;
}

/** What of an object is stopped. `starts`: what runs goes on, and nothing more of it starts. */
export type Stop = 'nothing' | 'starts' | 'everything';

/** How an object says whether it is held, and how it is held. */
export interface Switch {
  readonly stopOf: (spec: JsonObject) => Stop;
  /** The part of a patch on `spec` that stops so much of it. */
  readonly specWith: (stop: Stop) => JsonObject;
  /** It knows `starts`: while work may finish, it is held so at once. */
  readonly letsFinish?: true;
  /** Written only as it was read: what another client has set meanwhile would be lost otherwise. */
  readonly asRead?: true;
}
