/** Labels and annotations of Millrace. User labels may not use these keys (rule 5). */

export const prefix = 'millrace.dev/';

export const labels = {
  flow: `${prefix}flow`,
  ownerUid: `${prefix}owner-uid`,
  step: `${prefix}step`,
  attempt: `${prefix}attempt`,
  daemonJob: `${prefix}daemonjob`,
  /** On the Job of a DaemonJob: the uid of its node. Another machine with the same name has another uid. */
  nodeUid: `${prefix}node-uid`,
  /** On the wrapped objects of an AppWrapper and their Pods: the index of the component. */
  component: `${prefix}component`,
  /** On a ClusterRole, `true`: Millrace gets its permissions on further kinds, for use in AppWrappers. */
  aggregateToWrapped: `${prefix}aggregate-to-wrapped`,
} as const;

export const annotations = {
  /** On a JobFlow or DaemonJob: a new value starts one manual retry of what failed or was skipped. */
  retry: `${prefix}retry`,
  /** On objects that users apply: the user who submitted them (submitter.ts). Only admission writes it. */
  submitter: `${prefix}submitter`,
  /** On a child: what suspended it, so that only Millrace's own suspension is undone. */
  suspendedBy: `${prefix}suspended-by`,
  /** On an object that a suspend policy holds: which policy, why, since when and until when, as JSON. */
  held: `${prefix}held`,
  /** On an object in a queue of Kueue: which queue, and why it is not admitted, as JSON. */
  queued: `${prefix}queued`,
  /** On an object that left a queue of Kueue: the version of its Workload that no longer starts it, as JSON. */
  givenUp: `${prefix}given-up`,
  /** On an object that a suspend policy has resumed: a later suspension is not the policy's. */
  resumedBy: `${prefix}resumed-by`,
  /** On a Job that a suspend policy has placed: its own placement from before, as JSON. */
  placed: `${prefix}placed`,
  /** On an object that a suspend policy governs: `Run` or `Hold`, with `;until=` and a time. Overrides the policy. */
  suspendOverride: `${prefix}suspend-override`,
  /** On a child: its template's ttlSecondsAfterFinished, which is set once the result is recorded. */
  ttlSecondsAfterFinished: `${prefix}ttl-seconds-after-finished`,
  /** On a child: the hash of the template that it was rendered from. */
  templateHash: `${prefix}template-hash`,
  /** On a child of a DaemonJob: the full name of its node. */
  nodeName: `${prefix}node-name`,
  /** On an AppWrapper: `true` deletes the AppWrapper too, when its resources are deleted after its success. */
  deleteAfterSuccess: `${prefix}delete-after-success`,
  /** On a child: the id of the event that caused its creation. */
  causedBy: `${prefix}caused-by`,
} as const;

export function isReservedKey(key: string): boolean {
  return key.startsWith(prefix);
}

const known: ReadonlySet<string> = new Set(Object.values(annotations));

/** True for a key with Millrace's prefix that Millrace does not define, mostly a misspelt one. */
export function isUnknownAnnotation(key: string): boolean {
  return isReservedKey(key) && !known.has(key);
}
