/** The answer to a call, before the HTTP front makes JSON or a Table of it. */
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';

/** One page of a list. Items carry apiVersion and kind; the wire leaves them out for built-ins. */
export interface ObjectList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly KubeObject[];
}

/** The answer to a delete when the object is gone at once (metav1.Status). */
export interface SuccessStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Success';
  readonly details?: JsonObject;
  /** Only for subresources that are answered with a Status: bindings and evictions. */
  readonly code?: 201;
}

export interface ApiAnswer {
  readonly code: 200 | 201 | 202;
  readonly body: KubeObject | ObjectList | SuccessStatus;
}

export type WatchLine =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly object: Bookmark };

export interface Bookmark {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion: string;
    /** `k8s.io/initial-events-end` after the synthetic events of sendInitialEvents (KEP-3157). */
    readonly annotations?: Readonly<Record<string, string>>;
  };
}
