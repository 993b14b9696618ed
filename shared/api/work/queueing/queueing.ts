/**
 * How an object of a kind waits in a queue of Kueue as a whole. Millrace makes its Workload, and starts and stops it
 * as Kueue says (functions/kueue-workload-sync); the kind has `spec.suspend`.
 */
import type { Json, JsonObject, KubeObject, Resource } from '#shared/domain/objects.ts';
import type { PodSetInfo } from '#shared/api/pod-set-info.ts';

export interface Queueing {
  readonly podSets: (object: KubeObject, needed: Needed) => PodSets;
  /** Other objects that its podSets are made from. Absent: itself is enough. */
  readonly needs?: Needs;
  /** Labels that its parts get, as stored. A queue in one of them is refused: the whole waits. Absent: none. */
  readonly labelsOfParts?: (spec: JsonObject) => readonly LabelsOfPart[];
  /** A Pod of it may still hold resources. */
  readonly isActive: (object: KubeObject) => boolean;
  /** Undefined: it has not ended. */
  readonly endOf: (object: KubeObject) => End | undefined;
  readonly arePodsReady: (object: KubeObject) => boolean;
  /** Their quota goes to others. Grows only. */
  readonly reclaimable: (object: KubeObject) => readonly Reclaimable[];
  /** What a patch on `spec` that resumes it says besides: where its Pods are to run. */
  readonly place: (object: KubeObject, admitted: readonly AdmittedPodSet[]) => JsonObject;
  /** What a patch on `spec` that suspends it says besides: it takes back what {@link place} gave. */
  readonly takeBack: (object: KubeObject) => JsonObject;
  /** What of its status the answers above rest on: another change wakes nobody. */
  readonly restsOn: (object: KubeObject) => Json;
  /**
   * What runs of it are Jobs that it controls and that stay, suspended, while it waits. Absent: {@link isActive} alone
   * says what runs, and nothing of it is placed anew.
   */
  readonly jobs?: {
    /** Name of the podSet of a Job with these labels. */
    readonly podSetOf: (
      object: KubeObject,
      labels: Readonly<Record<string, string>>,
    ) => string | undefined;
  };
}

export interface LabelsOfPart {
  /** Of the field that has them. */
  readonly path: string;
  readonly labels: Json | undefined;
}

/** Objects of one resource, in the namespace of the object that names them. */
export interface Needs {
  readonly resource: Resource;
  /** The object is as stored, which need not be valid. */
  readonly namesIn: (object: KubeObject) => readonly string[];
  /** What of one podSets are made from. */
  readonly partOf: (found: KubeObject) => JsonObject;
}

/** What {@link Needs} found, by name; null: there is none of this name. */
export type Needed = Readonly<Record<string, JsonObject | null>>;

/** Why there are none yet, for people, or the podSets in an order that never changes. */
export type PodSets =
  | { readonly kind: 'podSets'; readonly podSets: readonly DescribedPodSet[] }
  | { readonly kind: 'waits' | 'impossible'; readonly message: string }
  /** Its own status will say what they are. */
  | { readonly kind: 'notYet' };

/** kueue.x-k8s.io/v1beta2 PodSet. */
export interface PodSet {
  readonly name: string;
  readonly count: number;
  readonly template: JsonObject;
  /** Of a described one only what its template does not say. */
  readonly topologyRequest?: JsonObject;
}

export interface DescribedPodSet extends PodSet {
  /** Nothing of it runs any more, so that nothing depends on its template. */
  readonly isOver?: true;
  /** While its quota is reserved, the count of the Workload stands. */
  readonly takesCountOfWorkload?: true;
}

/** What Kueue has assigned to the Pods of one podSet, and how many it has admitted. */
export interface AdmittedPodSet {
  readonly info: PodSetInfo;
  readonly count: number;
}

export interface End {
  readonly message: string;
  readonly isSuccess: boolean;
}

/** Of the Pods of a podSet those that will not run again: `over` of every `of`. */
export interface Reclaimable {
  readonly name: string;
  readonly over: number;
  readonly of: number;
}
