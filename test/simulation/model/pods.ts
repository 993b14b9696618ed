/**
 * The reports of the Pods of a step's Job. They are read only for failed Jobs, and for Jobs that are recorded
 * as running and not fully ready.
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import { attemptOf, jobName } from './attempts-and-retries.ts';
import { conditionOf, isOnItsWay } from './job-fate.ts';
import { isOver, type Look, recordOf, type Step, type Predicted } from './look.ts';
import { isToBeAsked, mostAsked } from './job-events.ts';
import {
  failureMentionsOf,
  type HeldUp,
  heldUpBy,
  isInDoubt,
  lacksPod,
  untouchedBy,
} from './pods-of-a-job.ts';

/** Why a step's Job does not run or start, even if it is not due yet. */
export function heldBack(look: Look, { spec, predicted, job }: Step): HeldUp | undefined {
  if (job === undefined || isOnItsWay(predicted.reason)) return undefined;
  if (predicted.state === 'Pending') return untouchedBy(job);
  return predicted.state === 'Running' ? heldUp(look, spec.name) : undefined;
}

/** Why the Job of a step's recorded attempt does not run, even if it is not due yet. */
function heldUp(look: Look, step: string): HeldUp | undefined {
  const job = jobInDoubt(look, step);
  if (job === undefined || look.pods === undefined) return undefined;
  return conditionOf(job, 'Failed') === undefined
    ? heldUpBy(job, look.pods, { ...look, said: recordOf(look, step)?.reason })
    : undefined;
}

/** The words about its Pods in the message of a failed attempt. */
export function failureMentions(look: Look, step: string, job: KubeObject): readonly string[] {
  if (look.pods === undefined || jobInDoubt(look, step) !== job) return [];
  return failureMentionsOf(job, look.pods);
}

/** The Jobs without a Pod whose Events are to be read now, if they are few. */
export function jobsToAskAbout(look: Look, atMs: number): readonly KubeObject[] {
  const { pods } = look;
  if (pods === undefined) return [];
  const lacking = look.flow.spec.flows.flatMap(({ name }) => {
    const job = jobInDoubt(look, name);
    const said = recordOf(look, name)?.reason;
    return job !== undefined && lacksPod(job, pods) && isToBeAsked(job, said, atMs) ? [job] : [];
  });
  return lacking.length > mostAsked ? [] : lacking;
}

/** Steps whose Pods must be read. */
export function stepsInDoubt(look: Look): readonly string[] {
  return look.flow.spec.flows.map(({ name }) => name).filter((name) => jobInDoubt(look, name));
}

function jobInDoubt(look: Look, step: string): KubeObject | undefined {
  const record = recordOf(look, step);
  if (record !== undefined && record.state !== 'Skipped' && isOver(record)) return undefined;
  const job = look.jobs.get(jobName(look.flow, step, record === undefined ? 0 : attemptOf(record)));
  return job !== undefined && isInDoubt(job, record?.state === 'Running') ? job : undefined;
}

/** The flow waits for something outside: the step's Job exists and does not run. */
export function isHeldUp({ state, reason = '' }: Predicted): boolean {
  return (
    (state === 'Running' &&
      ['Unschedulable', 'ImagePullBackOff', 'NoPod', 'FailedCreate'].includes(reason)) ||
    (state === 'Pending' && reason === 'JobNotStarted')
  );
}
