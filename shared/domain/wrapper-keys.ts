/**
 * Labels, annotations and the finalizer of AppWrappers (workload.codeflare.dev/v1beta2). The names are those of the
 * original controller: manifests, SDKs and other controllers use them.
 */

const group = 'workload.codeflare.dev';
/** For annotations. The dot between group and name belongs to it. */
const annotationPrefix = `${group}.appwrapper/`;

/** Millrace runs AppWrappers with this `spec.managedBy`, and those without one. */
export const wrapperController = `${group}/appwrapper-controller`;

export const wrapperFinalizer = `${group}/finalizer`;

export const wrapperLabels = {
  /** On everything that an AppWrapper creates, and its Pods: the name of the AppWrapper. */
  wrapper: `${group}/appwrapper`,
  /** On an AppWrapper: the name of its creator, as far as a label can hold it. Written by admission. */
  user: `${group}/user`,
  /** On an AppWrapper: the UID of that user. Written by admission. */
  userId: `${group}/userid`,
} as const;

/** On an AppWrapper. Durations use Go's format: `10s`, `1h30m`, `500ms`. */
export const wrapperAnnotations = {
  /** The time for Pods to be created after the components (duration). */
  admissionGrace: `${annotationPrefix}admissionGracePeriodDuration`,
  /** The time for created Pods to run (duration). */
  warmupGrace: `${annotationPrefix}warmupGracePeriodDuration`,
  /** The time from the failure of a Pod to the reset of the AppWrapper (duration). */
  failureGrace: `${annotationPrefix}failureGracePeriodDuration`,
  /** The pause of a reset AppWrapper before it is deployed again (duration). */
  retryPause: `${annotationPrefix}retryPausePeriodDuration`,
  /** The number of resets before an AppWrapper fails (integer). */
  retryLimit: `${annotationPrefix}retryLimit`,
  /** The time for resources to vanish before they are deleted by force (duration). */
  forcefulDeletionGrace: `${annotationPrefix}forcefulDeletionGracePeriodDuration`,
  /** The resources of a failed AppWrapper are kept for this time (duration). */
  deletionOnFailureGrace: `${annotationPrefix}deletionOnFailureGracePeriodDuration`,
  /** The resources of a successful AppWrapper are kept for this time (duration). */
  successTtl: `${annotationPrefix}successTTLDuration`,
  /** Exit codes after which the AppWrapper fails without a retry, separated by commas. */
  terminalExitCodes: `${annotationPrefix}terminalExitCodes`,
  /** The only exit codes after which the AppWrapper is retried, separated by commas. */
  retryableExitCodes: `${annotationPrefix}retryableExitCodes`,
} as const;

/** On a podSet: what Kueue needs to place Pods by topology and rank. */
export const podSetAnnotations = {
  /** Label or annotation of each Pod that holds its index. */
  podIndexLabel: `${annotationPrefix}tas-pod-index-label`,
  /** Label of each Pod that holds the index of its group. */
  subGroupIndexLabel: `${annotationPrefix}tas-sub-group-index-label`,
  /** The number of groups of Pods (integer). */
  subGroupCount: `${annotationPrefix}tas-sub-group-count`,
} as const;

const known: ReadonlySet<string> = new Set(Object.values(wrapperAnnotations));

/** True for an unknown key with the prefix of AppWrapper annotations, mostly a misspelt one. */
export function isUnknownWrapperAnnotation(key: string): boolean {
  return key.startsWith(annotationPrefix) && !known.has(key);
}
