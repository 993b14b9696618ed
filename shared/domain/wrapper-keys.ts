/**
 * Labels, annotations and the finalizer of AppWrappers (workload.codeflare.dev/v1beta2). The names are those of the
 * original controller: manifests, SDKs and other controllers use them.
 */

const group = 'workload.codeflare.dev';
/** Of annotations. The dot between group and name is part of it. */
const annotationPrefix = `${group}.appwrapper/`;

/** The value of `spec.managedBy` for which AppWrappers are run here, as where there is none. */
export const wrapperController = `${group}/appwrapper-controller`;

export const wrapperFinalizer = `${group}/finalizer`;

export const wrapperLabels = {
  /** On everything that an AppWrapper creates, and on its Pods: the name of the AppWrapper. */
  wrapper: `${group}/appwrapper`,
  /** On an AppWrapper: name of the user who created it, as far as a label can hold it. Written by admission. */
  user: `${group}/user`,
  /** On an AppWrapper: UID of that user. Written by admission. */
  userId: `${group}/userid`,
} as const;

/** On an AppWrapper. Durations are written as in Go: `10s`, `1h30m`, `500ms`. */
export const wrapperAnnotations = {
  /** How long Pods may take to be created after the components, a duration. */
  admissionGrace: `${annotationPrefix}admissionGracePeriodDuration`,
  /** How long Pods may take to run once they are created, a duration. */
  warmupGrace: `${annotationPrefix}warmupGracePeriodDuration`,
  /** How long a failed Pod may stay before the AppWrapper is reset, a duration. */
  failureGrace: `${annotationPrefix}failureGracePeriodDuration`,
  /** How long a reset AppWrapper waits before it is deployed again, a duration. */
  retryPause: `${annotationPrefix}retryPausePeriodDuration`,
  /** How often an AppWrapper is reset before it fails, an integer. */
  retryLimit: `${annotationPrefix}retryLimit`,
  /** How long resources may take to go before they are deleted by force, a duration. */
  forcefulDeletionGrace: `${annotationPrefix}forcefulDeletionGracePeriodDuration`,
  /** How long the resources of a failed AppWrapper are kept, a duration. */
  deletionOnFailureGrace: `${annotationPrefix}deletionOnFailureGracePeriodDuration`,
  /** How long the resources of an AppWrapper are kept after it succeeded, a duration. */
  successTtl: `${annotationPrefix}successTTLDuration`,
  /** Exit codes after which the AppWrapper fails without another try, separated by commas. */
  terminalExitCodes: `${annotationPrefix}terminalExitCodes`,
  /** The only exit codes after which the AppWrapper is tried again, separated by commas. */
  retryableExitCodes: `${annotationPrefix}retryableExitCodes`,
} as const;

/** On a podSet: what Kueue needs in order to place Pods by topology and rank. */
export const podSetAnnotations = {
  /** Label or annotation of each Pod that holds its index. */
  podIndexLabel: `${annotationPrefix}tas-pod-index-label`,
  /** Label of each Pod that holds the index of its group. */
  subGroupIndexLabel: `${annotationPrefix}tas-sub-group-index-label`,
  /** How many groups of Pods there are, an integer. */
  subGroupCount: `${annotationPrefix}tas-sub-group-count`,
} as const;

const known: ReadonlySet<string> = new Set(Object.values(wrapperAnnotations));

/** It has the prefix of AppWrapper annotations and names none of them: mostly a misspelt one. */
export function isUnknownWrapperAnnotation(key: string): boolean {
  return key.startsWith(annotationPrefix) && !known.has(key);
}
