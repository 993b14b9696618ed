/**
 * Ensures that a job has exactly one Workload, which matches it (steps 7 and 14). A Workload that does not match is
 * rewritten while nothing depends on it, else removed.
 */
import type { Decision } from '#shared/domain/decision.ts';
import type { DescribedPodSet, PodSets } from '#shared/api/work/queueing/queueing.ts';
import { holds, type Workload } from '../workload.ts';
import { dispatchedOne } from './dispatched.ts';
import { isEquivalent } from './equivalence.ts';
import { maximumSeconds, newWorkload, specOf } from './new-workload.ts';
import { inStep, missingClass } from './in-step.ts';
import { givesUp } from './given-up.ts';
import { event, nameOf, patchWorkload, removalOf } from './operations.ts';
import { type Ensured, noted, written, notYet } from './outcome.ts';
import type { Situation } from './situation.ts';
import { stopStages } from './stop.ts';

export function ensureOne(situation: Situation): Ensured {
  const { kind, job, workloads, podSets: described } = situation;
  if (described.kind !== 'podSets') return withoutPodSets(situation, described);
  if (situation.snapshot.isDispatched === true) return dispatchedOne(situation, described);
  const { podSets } = described;
  const match = workloads.find((each) => isEquivalent(each, podSets, maximumSeconds(situation)));
  const surplus = workloads.filter((each) => each !== match);
  if (match === undefined && kind.endOf(job) === undefined) {
    const decision = withoutMatch(situation, podSets, surplus);
    if (decision !== undefined) return { kind: 'first', decision };
  }
  if (surplus.length > 0) return { kind: 'first', decision: removeAll(situation, surplus) };
  if (match === undefined) return { kind: 'first', decision: create(situation, podSets) };
  const news = inStep(situation, match);
  return news === undefined ? { kind: 'one', workload: match } : { kind: 'first', decision: news };
}

/**
 * A job that runs by a Workload continues: a deleted template changes nothing of what was admitted. A job that
 * MultiKueue dispatched is admitted before anything was read here.
 */
function withoutPodSets(
  situation: Situation,
  described: Exclude<PodSets, { readonly kind: 'podSets' }>,
): Ensured {
  const { isSuspended, snapshot, workloads } = situation;
  const [only] = workloads;
  const isUnread = snapshot.isDispatched === true && isSuspended;
  if (only !== undefined && !isUnread) return { kind: 'one', workload: only };
  if (described.kind === 'notYet') {
    return {
      kind: 'first',
      decision: notYet('NotCounted', 'its status does not say yet what it is to run'),
    };
  }
  const { message } = described;
  const occurrence = `${situation.job.metadata.generation ?? 0}`;
  const warning = event(situation, 'ErrWorkloadCompose', message, { occurrence, type: 'Warning' });
  return { kind: 'first', decision: noted(situation, message, [[warning]]) };
}

const stillActive = 'Pods of the job are still there';

function withoutMatch(
  situation: Situation,
  podSets: readonly DescribedPodSet[],
  surplus: readonly Workload[],
): Decision | undefined {
  const { kind, job, snapshot } = situation;
  if (!situation.isSuspended) {
    const message =
      surplus.length === 1
        ? 'No matching Workload; restoring pod templates according to existent Workload'
        : 'Missing Workload; unable to restore pod templates';
    return written('NoMatchingWorkload', message, stopStages(situation, message));
  }
  // The quota is kept while Pods of the job run.
  if (kind.isActive(job)) return notYet('StillActive', stillActive);
  const [first] = surplus;
  const isFree = first !== undefined && !holds(first, 'QuotaReserved') && !holds(first, 'Finished');
  const { priority } = snapshot;
  if (!isFree || first.metadata.deletionTimestamp !== undefined || priority?.kind !== 'known') {
    return undefined;
  }
  const message = `Updated not matching Workload for suspended job: ${nameOf(first)}`;
  const occurrence = `${first.metadata.uid} ${first.metadata.generation ?? 0}`;
  return written('UpdatedWorkload', message, [
    [patchWorkload(first, { spec: specOf(situation, podSets, priority) })],
    [event(situation, 'UpdatedWorkload', message, { occurrence })],
  ]);
}

function removeAll(situation: Situation, surplus: readonly Workload[]): Decision {
  const [first] = surplus;
  const message = `Deleted not matching Workload: ${first === undefined ? '' : nameOf(first)}`;
  const occurrence = first?.metadata.uid ?? '';
  return written('DeletedWorkload', message, [
    [event(situation, 'DeletedWorkload', message, { occurrence })],
    ...givesUp(situation, surplus),
    ...removalOf(surplus),
  ]);
}

/** An ended job gets no Workload, nor does a job with Pods of an earlier run. */
function create(situation: Situation, podSets: readonly DescribedPodSet[]): Decision {
  const { kind, job, snapshot } = situation;
  const { priority } = snapshot;
  if (kind.endOf(job) !== undefined) return notYet('Finished', 'the job has ended');
  if (kind.isActive(job)) return notYet('StillActive', stillActive);
  if (priority === undefined) return notYet('PriorityUnknown', 'its priority was not read');
  if (priority.kind === 'missing') {
    const { message, warning } = missingClass(situation, priority);
    return noted(situation, message, [[warning]], retryMs);
  }
  const operation = newWorkload(situation, podSets, priority);
  const message = `Created Workload: ${snapshot.key.namespace}/${snapshot.workloadName}`;
  const occurrence = `${job.metadata.generation ?? 0}`;
  return written('CreatedWorkload', message, [
    [operation],
    [event(situation, 'CreatedWorkload', message, { occurrence })],
  ]);
}

/** For changes that no event reports, milliseconds. */
const retryMs = 10_000;
