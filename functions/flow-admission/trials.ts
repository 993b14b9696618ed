/**
 * What the API server would say to the Jobs: schema, defaults, webhooks and policies of the cluster.
 * It is asked by creating them for a trial, with the rights of admission itself.
 *
 * Only so many Jobs and only for so long: what is left is created later as ever, and the flow tells
 * then what is wrong with it.
 */
import type { Resource } from '#shared/domain/objects.ts';
import { underEither } from '#shared/domain/under-either.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import type { Inquiry, Trial } from '#shared/kube/inquiry.ts';
import type { Child } from '#shared/api/work/submission/submission.ts';

export interface TriedChildren {
  /** By the place of the child among all. Not there: it was not tried, or nobody knows. */
  readonly trials: Readonly<Record<number, Trial>>;
}

/** Equal Jobs count once. */
export const maxTrials = 20;
/** The rest of the budget is for the decision and for what comes before the trials, milliseconds. */
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
