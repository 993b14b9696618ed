/** The effect of a failed step, a shutdown or the deadline on the others (rules 12, 25 and 26). */
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { attemptOf, failedStep, namesIn } from './attempts-and-retries.ts';
import { isOverdue } from './deadline.ts';
import { hasEnded, jobParts } from './job-fate.ts';
import { isWaiting, type Look, recordOf, type Step, type Predicted } from './look.ts';

export function policyOf({ spec }: JobFlow) {
  return spec.failurePolicy ?? 'ContinueIndependent';
}

/**
 * Every dependant of a failed step is skipped. With FailFast, CancelRunning, a shutdown or a passed deadline
 * nothing else starts, and a step between two attempts has failed. CancelRunning, Terminate and the deadline delete
 * running Jobs; Stop deletes suspended ones.
 */
export function afterFailures(look: Look, steps: readonly Step[]): readonly Step[] {
  const lost = cutOff(steps, [...namesIn(steps, 'Failed'), ...namesIn(steps, 'Skipped')]);
  const end = endingOf(
    look,
    steps.map((step) => step.predicted),
  );
  return steps.map((step) => {
    const { predicted, job, spec } = step;
    if (!isWaiting(predicted)) {
      const isGoing = end === undefined || isBeingDeleted(predicted) || !isStoppable(job);
      if (isGoing || !(end.deletes === 'all' || (end.deletes === 'stopped' && isStopped(job)))) {
        return step;
      }
      return {
        ...step,
        predicted: { ...predicted, state: 'Running', reason: end.deleting, mentions: [] },
      };
    }
    if (lost.has(spec.name)) return { spec, predicted: skipped(predicted, 'UpstreamFailed') };
    return end === undefined ? step : { ...step, predicted: stopped(look, predicted, end) };
  });
}

/** Why nothing new starts, and which remaining Jobs are deleted. */
interface Ending {
  readonly skips: string;
  readonly abandons: string;
  readonly deleting: string;
  readonly deletes: 'all' | 'stopped' | 'none';
}

const byShutdown = { skips: 'Shutdown', abandons: 'Shutdown', deleting: 'Shutdown' } as const;

const late = 'FlowDeadlineExceeded';
const byDeadline = { skips: late, abandons: late, deleting: late, deletes: 'all' } as const;

/** Terminate, the deadline, CancelRunning, Stop, FailFast: the first one that applies. */
export function endingOf(
  look: Pick<Look, 'flow' | 'atMs'>,
  predicted: readonly Predicted[],
): Ending | undefined {
  const { flow } = look;
  const { shutdown } = flow.spec;
  const policy = policyOf(flow);
  const fails = policy !== 'ContinueIndependent' && predicted.some(failedByItself);
  const byFailure = { skips: policy, abandons: 'RetryAbandoned', deleting: 'Cancelling' };
  if (shutdown === 'Terminate') return { ...byShutdown, deletes: 'all' };
  if (isOverdue(look)) return byDeadline;
  if (fails && policy === 'CancelRunning') return { ...byFailure, deletes: 'all' };
  if (shutdown === 'Stop') return { ...byShutdown, deletes: 'stopped' };
  return fails ? { ...byFailure, deletes: 'none' } : undefined;
}

function failedByItself({ state, reason }: Predicted): boolean {
  return state === 'Failed' && reason !== 'Shutdown' && reason !== late;
}

export function isBeingDeleted({ state, reason = '' }: Predicted): boolean {
  return state === 'Running' && ['Cancelling', 'Shutdown', late].includes(reason);
}

function isStopped(job: KubeObject): boolean {
  return jobParts(job).spec.suspend === true;
}

/** Everything that depends on one of these, directly or not. */
function cutOff(steps: readonly Step[], roots: readonly string[]): ReadonlySet<string> {
  const reached = new Set(roots);
  if (roots.length === 0) return reached;
  for (let size = 0; size < reached.size;) {
    size = reached.size;
    for (const { spec } of steps) {
      if (spec.dependencies?.some((name) => reached.has(name))) reached.add(spec.name);
    }
  }
  return reached;
}

function stopped({ atMs }: Look, predicted: Predicted, { skips, abandons }: Ending): Predicted {
  const attempt = attemptOf(predicted);
  if (attempt === 0) return skipped(predicted, skips);
  return failedStep({ ...predicted, attempt: attempt - 1 }, { reason: abandons, atMs });
}

export function skipped({ name, attempt }: Predicted, reason: string): Predicted {
  return { name, attempt: attempt ?? 0, state: 'Skipped', reason };
}

function isStoppable(job: KubeObject | undefined): job is KubeObject {
  return job !== undefined && job.metadata.deletionTimestamp === undefined && !hasEnded(job);
}

/** Jobs to be deleted. They are recorded first, so that their trace is not lost. */
export function cancellations(look: Look, steps: readonly Step[]) {
  const wanted = steps.flatMap(({ predicted, job }) =>
    isBeingDeleted(predicted) && isStoppable(job) ? [{ predicted, job }] : [],
  );
  const known = wanted.filter(
    ({ predicted, job }) => recordOf(look, predicted.name)?.jobName === job.metadata.name,
  );
  return {
    wanted: wanted.map(({ job }) => job),
    deleted: known.map(({ job }) => job),
    awaitsRecord: known.length < wanted.length,
  };
}
