/**
 * Why a Job failed, in one message: the exit code of the container, or what ended its Pod. The reason
 * stays the Job's own.
 */
import type { ObservedJob } from './observed-job.ts';
import { printedBy, shownBy, withCommand } from './next-command.ts';

/** Reasons of a Job that only say that Pods failed. Other reasons name the cause themselves. */
const saysNoMore: ReadonlySet<string> = new Set([
  'BackoffLimitExceeded',
  'FailedIndexes',
  'MaxFailedIndexesExceeded',
]);

/**
 * A Pod that is deleted or drained counts as failed, and is gone before the Job has failed
 * (KEP-2307).
 */
const unknownEnd =
  'its Pod is gone, so how it failed is not known: it may have been deleted or drained while it ran';

/**
 * `message` is the Job's. It stays when nothing is known about the Pods, which may be gone already.
 */
export function failureMessage(
  namespace: string,
  { name, pods }: ObservedJob,
  { reason, message }: { readonly reason: string; readonly message: string },
): string {
  if (pods === undefined) return message;
  if (pods.failure === undefined) {
    if (pods.areGone !== true || !saysNoMore.has(reason)) return message;
    return withCommand(`${message}; ${unknownEnd}`, shownBy(namespace, 'job', name));
  }
  const { failure, failed } = pods;
  const target = failed > 1 ? failure.pod : `job/${name}`;
  const command =
    failure.shownBy === 'logs'
      ? printedBy(namespace, target, failure.container)
      : shownBy(namespace, 'pod', failure.pod);
  if (!saysNoMore.has(reason)) return withCommand(message, command);
  const several = failed > 1 ? `the last of ${failed} failed Pods: ` : '';
  return withCommand(`${several}${failure.message}`, command);
}
