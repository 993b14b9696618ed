/** What a failed step means for the others (rule 12). */
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { attemptOf, failedStep, namesIn } from './attempts-and-retries.ts';
import { hasEnded } from './job-fate.ts';
import { isWaiting, type Look, recordOf, type Step, type Told } from './look.ts';

export function policyOf({ spec }: JobFlow) {
  return spec.failurePolicy ?? 'ContinueIndependent';
}

/**
 * Whatever depends on a failed step is skipped. With FailFast and CancelRunning nothing else starts
 * either, a step between two attempts has failed, and with CancelRunning what runs is deleted.
 */
export function afterFailures(look: Look, steps: readonly Step[]): readonly Step[] {
  const policy = policyOf(look.flow);
  const failed = namesIn(steps, 'Failed');
  const lost = cutOff(steps, [...failed, ...namesIn(steps, 'Skipped')]);
  const stops = failed.length > 0 && policy !== 'ContinueIndependent';
  return steps.map((step) => {
    const { told, job, spec } = step;
    if (!isWaiting(told)) {
      const cancels = stops && policy === 'CancelRunning' && isStoppable(job);
      return cancels
        ? { ...step, told: { ...told, state: 'Running', reason: 'Cancelling', mentions: [] } }
        : step;
    }
    if (lost.has(spec.name)) return { spec, told: skipped(told, 'UpstreamFailed') };
    return stops ? { ...step, told: stopped(look, told, policy) } : step;
  });
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

function stopped({ atMs }: Look, told: Told, policy: string): Told {
  const attempt = attemptOf(told);
  if (attempt === 0) return skipped(told, policy);
  return failedStep({ ...told, attempt: attempt - 1 }, { reason: 'RetryAbandoned', atMs });
}

export function skipped({ name, attempt }: Told, reason: string): Told {
  return { name, attempt: attempt ?? 0, state: 'Skipped', reason };
}

function isStoppable(job: KubeObject | undefined): job is KubeObject {
  return job !== undefined && job.metadata.deletionTimestamp === undefined && !hasEnded(job);
}

/** What is to be deleted: a Job that is on record, so that no trace of it is lost with it. */
export function cancellations(look: Look, steps: readonly Step[]) {
  const wanted = steps.flatMap(({ told, job }) =>
    told.reason === 'Cancelling' && isStoppable(job) ? [{ told, job }] : [],
  );
  const known = wanted.filter(
    ({ told, job }) => recordOf(look, told.name)?.jobName === job.metadata.name,
  );
  return { deleted: known.map(({ job }) => job), awaitsRecord: known.length < wanted.length };
}
