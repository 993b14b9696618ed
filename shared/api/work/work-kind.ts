/**
 * A kind of work: it runs Pods or lets them run. One record for each kind, as data. Code that suspends, queues or
 * judges work derives its list from `work-kinds.ts` and names no kind.
 */
import type { JsonObject, KubeObject, Resource } from '#shared/domain/objects.ts';
import type { Queueing } from './queueing/queueing.ts';
import type { Submission } from './submission/submission.ts';
import type { PlacedPod } from './placed-pod.ts';

export interface WorkKind {
  readonly resource: Resource;
  /** A kind of Millrace, which suspends its own children. Absent: a kind of Kubernetes or others. */
  readonly isOurs?: true;
  /** Its operator may not be installed. */
  readonly isOptional?: true;
  /** Absent: no policy governs it. */
  readonly suspension?: Suspension;
  /** All its Pods are equal, as in `spec.template`. Absent: policies neither count nor place them. */
  readonly pods?: {
    /** Total requests of the Pods that run at once, by resource. */
    readonly requestsOf: (object: KubeObject) => Readonly<Record<string, number>>;
    /** The placement of its Pods. */
    readonly placedPodOf: (object: KubeObject) => PlacedPod;
  };
  /** Name of the PriorityClass of its Pods. Absent: it may differ between them. */
  readonly priorityClassOf?: (object: KubeObject) => string | undefined;
  /** Absent: admission does not judge the Jobs of its objects. */
  readonly submission?: Submission;
  /** Kueue manages it by default: its objects may wait in a queue, and their children wait with them. */
  readonly isQueued?: true;
  /** Its wait in a queue as a whole. Absent: Millrace makes no Workload for it. */
  readonly queueing?: Queueing;
}

/** The way in which policies hold an object of the kind, and the fields that they need. */
export interface Suspension extends Switch {
  /** Nothing is left to run: no policy governs it any more. */
  readonly hasEnded: (state: WorkState) => boolean;
  /** It has Pods that run or still terminate. */
  readonly isActive: (state: WorkState) => boolean;
  /** While it is suspended, running parts continue and nothing new starts. Absent: never. */
  readonly stopsOnlyStarts?: (state: WorkState) => boolean;
  /** Many of them belong to Millrace's objects, and are not governed then. */
  readonly isChildToo?: true;
  /** It was started once. Absent: judged by a Job's counts and start time. */
  readonly hasRun?: (state: WorkState) => boolean;
  /** The value of `spec.managedBy` that means the same as an absent one. Absent: none. */
  readonly ownController?: string;
  /** Other work waits in it. It has no Pods, no placement and no annotations of its own. */
  readonly isQueue?: true;
  /** The part that views keep for policies. Absent: all but some metadata. Applying it twice gives the same. */
  readonly keep?: (object: KubeObject) => KubeObject;
  /** A sentence about the kind for the reference of policies. */
  readonly says?: string;
}

export interface WorkState {
  readonly spec: JsonObject;
  readonly status: JsonObject;
}

/** The part of an object that is stopped. `starts`: running parts continue, and nothing more starts. */
export type Stop = 'nothing' | 'starts' | 'everything';

/** Reads whether an object is held, and holds it. */
export interface Switch {
  readonly stopOf: (spec: JsonObject) => Stop;
  /** The part of a patch on `spec` for this stop. */
  readonly specWith: (stop: Stop) => JsonObject;
  /** It supports `starts`: while work may finish, it is held in this way at once. */
  readonly letsFinish?: true;
  /** Written only at the version that was read, because a later value of another client would be lost. */
  readonly asRead?: true;
}
