/**
 * Lets an object of a kind wait in a queue of Kueue as a whole. Millrace makes its Workload, and starts and stops the
 * object as Kueue decides (functions/kueue-workload-sync). The kind has `spec.suspend`.
 */
import type { Json, JsonObject, KubeObject, Resource } from '#shared/domain/objects.ts';
import type { PodSetInfo } from '#shared/api/pod-set-info.ts';

export interface Queueing {
  readonly podSets: (object: KubeObject, needed: Needed) => PodSets;
  /** Other objects that its podSets are made from. Absent: none. */
  readonly needs?: Needs;
  /** Labels of its parts, as stored. A queue name in one of them is refused, because the whole waits. Absent: none. */
  readonly labelsOfParts?: (spec: JsonObject) => readonly LabelsOfPart[];
  /** One of its Pods may still hold resources. */
  readonly isActive: (object: KubeObject) => boolean;
  /** Undefined: it has not ended. */
  readonly endOf: (object: KubeObject) => End | undefined;
  readonly arePodsReady: (object: KubeObject) => boolean;
  /** Pods whose quota can be given back. The number only grows. */
  readonly reclaimable: (object: KubeObject) => readonly Reclaimable[];
  /** Additions to a patch on `spec` that resumes it: the placement of its Pods. */
  readonly place: (object: KubeObject, admitted: readonly AdmittedPodSet[]) => JsonObject;
  /** Additions to a patch on `spec` that suspends it: they revert {@link place}. */
  readonly takeBack: (object: KubeObject) => JsonObject;
  /** The parts of its status that these answers depend on. Other changes do not enqueue it. */
  readonly restsOn: (object: KubeObject) => Json;
  /**
   * Its running parts are Jobs that it controls. They stay, suspended, while it waits. Absent: {@link isActive} alone
   * says what runs, and nothing is placed again.
   */
  readonly jobs?: {
    /** Name of the podSet for a Job with these labels. */
    readonly podSetOf: (
      object: KubeObject,
      labels: Readonly<Record<string, string>>,
    ) => string | undefined;
  };
}

export interface LabelsOfPart {
  /** Path of the field with the labels. */
  readonly path: string;
  readonly labels: Json | undefined;
}

/** Objects of one resource, in the namespace of the object that names them. */
export interface Needs {
  readonly resource: Resource;
  /** The stored object need not be valid. */
  readonly namesIn: (object: KubeObject) => readonly string[];
  /** The part of a needed object that podSets are made from. */
  readonly partOf: (found: KubeObject) => JsonObject;
}

/** The objects of {@link Needs} by name. Null: no object has this name. */
export type Needed = Readonly<Record<string, JsonObject | null>>;

/** The podSets in a fixed order, or why there are none yet, for people. */
export type PodSets =
  | { readonly kind: 'podSets'; readonly podSets: readonly DescribedPodSet[] }
  | { readonly kind: 'waits' | 'impossible'; readonly message: string }
  /** The object's own status will contain them. */
  | { readonly kind: 'notYet' };

/** kueue.x-k8s.io/v1beta2 PodSet. */
export interface PodSet {
  readonly name: string;
  readonly count: number;
  readonly template: JsonObject;
  /** For a described podSet, only what its template does not say. */
  readonly topologyRequest?: JsonObject;
}

export interface DescribedPodSet extends PodSet {
  /** Nothing of it runs any more, so its template no longer matters. */
  readonly isOver?: true;
  /** While its quota is reserved, the Workload's count is used. */
  readonly takesCountOfWorkload?: true;
}

/** Kueue's assignment for the Pods of one podSet, and how many it has admitted. */
export interface AdmittedPodSet {
  readonly info: PodSetInfo;
  readonly count: number;
}

export interface End {
  readonly message: string;
  readonly isSuccess: boolean;
}

/** The Pods of a podSet that will not run again: `over` of every `of`. */
export interface Reclaimable {
  readonly name: string;
  readonly over: number;
  readonly of: number;
}
