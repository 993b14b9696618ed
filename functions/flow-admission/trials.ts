/**
 * Asks the API server by dry-run creates how it would answer the Jobs: by schema, defaults, webhooks and policies of
 * the cluster. The requests use the rights of admission itself.
 *
 * Number and time of trials are limited. The other Jobs are created later without a trial, and the flow then reports
 * what is wrong.
 */
import type { Resource } from '#shared/domain/objects.ts';
import { underEither } from '#shared/domain/under-either.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import type { Inquiry, Trial } from '#shared/kube/inquiry.ts';
import type { Child } from '#shared/api/work/submission/submission.ts';

export interface TriedChildren {
  /** By the index of the child. Absent: it was not tried, or the answer is unknown. */
  readonly trials: Readonly<Record<number, Trial>>;
}

/** Limit for trials. Equal Jobs count once. */
export const maxTrials = 20;
/** Limit for all trials, milliseconds. The rest of the time is for earlier questions and for the decision. */
const longestMs = 1_200;
const atOnce = 4;

export async function tryChildren(
  creates: Resource,
  children: readonly Child[],
  cluster: Inquiry,
  signal: AbortSignal,
): Promise<TriedChildren> {
  const trials: Record<number, Trial> = {};
  const places = [...children.entries()].slice(0, maxTrials);
  await underEither([signal, AbortSignal.timeout(longestMs)], (timeIsUp) =>
    eachBounded(places, atOnce, async ([place, { job }]) => {
      if (timeIsUp.aborted) return;
      trials[place] = await cluster.tryCreate(creates, job, timeIsUp);
    }),
  );
  return { trials };
}
