/** Labels and annotations of Millrace. User labels may not use these keys (rule 5). */

export const prefix = 'millrace.dev/';

export const labels = {
  flow: `${prefix}flow`,
  ownerUid: `${prefix}owner-uid`,
  step: `${prefix}step`,
  attempt: `${prefix}attempt`,
  daemonJob: `${prefix}daemonjob`,
  /** Of the node that the Job of a DaemonJob runs on: another machine of the same name has another one. */
  nodeUid: `${prefix}node-uid`,
  /** On what an AppWrapper wraps, and on its Pods: the index of the component. */
  component: `${prefix}component`,
  /** On a ClusterRole, `true`: what it allows of kinds that a cluster brings, Millrace may do with them in AppWrappers. */
  aggregateToWrapped: `${prefix}aggregate-to-wrapped`,
} as const;

export const annotations = {
  /** On a JobFlow or a DaemonJob: a new value starts one manual retry of what failed or was skipped. */
  retry: `${prefix}retry`,
  /** On what users apply: who submitted it (see submitter.ts). Written by admission alone. */
  submitter: `${prefix}submitter`,
  /** On a child: what suspended it, so that only our own suspension is undone. */
  suspendedBy: `${prefix}suspended-by`,
  /** On what a suspend policy holds: which one, why, since when and until when, as JSON. */
  held: `${prefix}held`,
  /** On what waits in a queue of Kueue: which one, and why it is not admitted, as JSON. */
  queued: `${prefix}queued`,
  /** On what has stood in a queue of Kueue: the version of its Workload that starts it no more, as JSON. */
  givenUp: `${prefix}given-up`,
  /** On what a suspend policy has resumed: a later suspension is not the policy's. */
  resumedBy: `${prefix}resumed-by`,
  /** On a Job that a suspend policy has placed: where its Pods could run before, as JSON. */
  placed: `${prefix}placed`,
  /** On what a suspend policy governs: `Run` or `Hold`, with `;until=` and a time; it goes before the policy. */
  suspendOverride: `${prefix}suspend-override`,
  /** On a child: the ttlSecondsAfterFinished of its template, applied once its result is recorded. */
  ttlSecondsAfterFinished: `${prefix}ttl-seconds-after-finished`,
  /** On a child: hash of the template that it was rendered from. */
  templateHash: `${prefix}template-hash`,
  /** On a child of a DaemonJob: the whole name of its node. */
  nodeName: `${prefix}node-name`,
  /** On an AppWrapper: `true` deletes it, too, when the time of its resources is over after its success. */
  deleteAfterSuccess: `${prefix}delete-after-success`,
  /** On a child: the id of the event that caused its creation. */
  causedBy: `${prefix}caused-by`,
} as const;

export function isReservedKey(key: string): boolean {
  return key.startsWith(prefix);
}

const known: ReadonlySet<string> = new Set(Object.values(annotations));

/** Under our prefix, and no annotation of ours: mostly a misspelt one. */
export function isUnknownAnnotation(key: string): boolean {
  return isReservedKey(key) && !known.has(key);
}
