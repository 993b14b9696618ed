/** Input and output of an admission, independent of the wire format (admission.k8s.io/v1). */
import type { JsonObject } from './objects.ts';

/** Without CONNECT: it changes nothing that is stored. */
export type ReviewedOperation = 'CREATE' | 'UPDATE' | 'DELETE';

/** The user who makes the request, as the API server authenticated it. */
export interface ReviewUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** One request to the API server, reduced to what an admission may judge. */
export interface Review {
  /** The uid of the review, not of the object. */
  readonly uid: string;
  readonly operation: ReviewedOperation;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
  };
  /** Empty: the object itself. */
  readonly subresource: string;
  /** Empty: the resource is cluster-scoped. */
  readonly namespace: string;
  /** Empty: the API server still generates it (`generateName`). */
  readonly name: string;
  /** The requested object; absent for a delete. */
  readonly object?: JsonObject;
  /** The stored object; absent for a create. */
  readonly oldObject?: JsonObject;
  readonly user: ReviewUser;
  /** Nothing will be stored, so the review must have no side effect. */
  readonly dryRun: boolean;
}

/** Everything that a decision may depend on besides the review. */
export interface ReviewInput<Facts> {
  /** The result of `lookUp`; undefined for an admission without one. */
  readonly facts: Facts;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

export interface Allowed {
  readonly allowed: true;
  /** The changed object, for a mutating admission; the patch is the difference. */
  readonly object?: JsonObject;
  /** Warnings for the user. Best within 120 characters each. */
  readonly warnings?: readonly string[];
}

export interface Denied {
  readonly allowed: false;
  /** HTTP status of the user's request, 400 to 499. */
  readonly code: number;
  /** As in a metav1.Status: `Forbidden`, `Invalid`, ... */
  readonly reason: string;
  readonly message: string;
  readonly warnings?: readonly string[];
}

export type AdmissionDecision = Allowed | Denied;
