/** What a person may wish of which kind; a kind joins by a line of the table. */
import type { Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';

export interface WishedKind {
  readonly resource: Resource;
  /** It takes `millrace.dev/retry` and `spec.shutdown`. */
  readonly isRetried?: true;
  /** Its parts can be named in a retry. */
  readonly hasSteps?: true;
}

/** All of them have `spec.suspend`. */
export const wishedKinds: readonly WishedKind[] = [
  { resource: resources.JobFlow, isRetried: true, hasSteps: true },
  { resource: resources.DaemonJob, isRetried: true },
  { resource: resources.AppWrapper },
  { resource: resources.Job },
];

export const retriedKinds = wishedKinds.filter(({ isRetried }) => isRetried === true);
