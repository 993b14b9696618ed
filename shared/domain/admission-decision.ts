/** What an admission is asked and what it says, free of the wire (admission.k8s.io/v1). */
import type { JsonObject } from './objects.ts';

/** CONNECT changes nothing that is stored, and is reviewed by nobody here. */
export type ReviewedOperation = 'CREATE' | 'UPDATE' | 'DELETE';

/** Who makes the request, as the API server authenticated it. */
export interface ReviewUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** One request to the API server, as far as an admission may judge it. */
export interface Review {
  /** Of this question, not of the object. */
  readonly uid: string;
  readonly operation: ReviewedOperation;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
  };
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty where the resource is of the cluster. */
  readonly namespace: string;
  /** Empty where the API server is still to make it up (`generateName`). */
  readonly name: string;
  /** As it is to be; absent when it is deleted. */
  readonly object?: JsonObject;
  /** As it is; absent when it is created. */
  readonly oldObject?: JsonObject;
  readonly user: ReviewUser;
  /** Nothing will be stored, so nothing may happen on account of it. */
  readonly dryRun: boolean;
}

/** Everything that a decision may depend on besides the review. */
export interface ReviewInput<Facts> {
  /** What `lookUp` found; undefined for an admission without one. */
  readonly facts: Facts;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

export interface Allowed {
  readonly allowed: true;
  /** The object as it should rather be, for a mutating admission; the patch is the difference. */
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
