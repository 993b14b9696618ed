/** Suspending and resuming running Jobs (rule 15). */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { hasEnded, jobParts } from './job-fate.ts';
import type { Look, Step } from './look.ts';

export function stopsRunning({ spec }: JobFlow): boolean {
  return spec.suspend === true && (spec.suspendMode ?? 'StopRunning') === 'StopRunning';
}

/** Except for Jobs to be deleted. */
export function suspensions(
  { flow, jobs }: Look,
  deleted: readonly KubeObject[] = [],
): Suspensions {
  const isSuspended = flow.spec.suspend === true;
  if (isSuspended && !stopsRunning(flow)) return { stopped: [], resumed: [] };
  const others = [...jobs.values()].filter((job) => !deleted.includes(job));
  return suspensionsOf(flow.metadata.uid, others, isSuspended);
}

export interface Suspensions {
  readonly stopped: readonly KubeObject[];
  readonly resumed: readonly KubeObject[];
}

/** Each unfinished Job is suspended with Millrace's mark; only marked Jobs are resumed. */
export function suspensionsOf(
  owner: string,
  jobs: readonly KubeObject[],
  stops: boolean,
): Suspensions {
  const open = jobs.filter((job) => !hasEnded(job) && job.metadata.deletionTimestamp === undefined);
  const isStopped = (job: KubeObject): boolean => jobParts(job).spec.suspend === true;
  const isMarked = ({ metadata }: KubeObject): boolean =>
    metadata.annotations?.[annotations.suspendedBy] === owner;
  return stops
    ? { stopped: open.filter((job) => !isStopped(job)), resumed: [] }
    : { stopped: [], resumed: open.filter(isMarked) };
}

/** Everything that should stop has stopped. */
export function hasSettled(flow: JobFlow, steps: readonly Step[]): boolean {
  return (
    !stopsRunning(flow) ||
    steps.every(({ predicted }) => predicted.state !== 'Running' && predicted.state !== 'Pending')
  );
}
