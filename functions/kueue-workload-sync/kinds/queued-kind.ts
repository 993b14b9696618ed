/** What a kind of work tells the integration of itself: a kind joins by one such record. */
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import type { PodSetInfo } from '#shared/api/pod-set-info.ts';
import type { PodSet } from '../workload.ts';

/** What an object refers to: the JobSpec by the name of its template, null where there is none. */
export type Templates = Readonly<Record<string, JsonObject | null>>;

/** Why there are none yet, for people, or the podSets in an order that never changes. */
export type PodSets =
  | { readonly kind: 'podSets'; readonly podSets: readonly DescribedPodSet[] }
  | { readonly kind: 'waits' | 'impossible'; readonly message: string };

export interface DescribedPodSet extends PodSet {
  /** Nothing of it runs any more, so that nothing depends on its template. */
  readonly isOver?: true;
}

export interface End {
  readonly message: string;
  readonly isSuccess: boolean;
}

/** Of the Pods of a podSet those that will not run again, from 0 to 1. */
export interface ReclaimedShare {
  readonly name: string;
  readonly share: number;
}

export interface QueuedKind {
  readonly podSets: (object: KubeObject, templates: Templates) => PodSets;
  readonly isSuspended: (object: KubeObject) => boolean;
  /** A Pod of it may still hold resources. */
  readonly isActive: (object: KubeObject) => boolean;
  /** Undefined: it has not ended. */
  readonly endOf: (object: KubeObject) => End | undefined;
  readonly arePodsReady: (object: KubeObject) => boolean;
  /** Their quota goes to others. Grows only. */
  readonly reclaimable: (object: KubeObject) => readonly ReclaimedShare[];
  /** The part of a patch on `spec` that lets it run where it was assigned to. */
  readonly run: (infos: readonly PodSetInfo[]) => JsonObject;
  /** The part of a patch on `spec` that stops it and takes back what {@link run} gave it. */
  readonly stop: () => JsonObject;
}
