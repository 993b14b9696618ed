/** When what is finished may go (rule 14). */
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { attemptOf, jobName } from './attempts-and-retries.ts';
import { hasEnded, jobParts } from './job-fate.ts';
import { isOver, type Look, msOf, recordOf } from './look.ts';

/**
 * The TTL of its template, which its Job does not have before its result is on record; seconds. What is
 * no whole number is somebody's nonsense, and no TTL.
 */
export function withheldTtl(job: KubeObject): number | undefined {
  const text = job.metadata.annotations?.[annotations.ttlSecondsAfterFinished];
  const isGiven = givenTtl(job) !== undefined;
  const isGoing = isGiven || job.metadata.deletionTimestamp !== undefined || !hasEnded(job);
  const seconds = Number(text ?? NaN);
  return isGoing || !Number.isInteger(seconds) || seconds < 0 ? undefined : seconds;
}

export function childTtls(look: Look) {
  const jobs = [...look.jobs.values()].filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  const withheld = jobs.filter((job) => withheldTtl(job) !== undefined);
  const imposed = jobs.filter((job) => givenTtl(job) !== undefined && !isOnRecord(look, job));
  const keptBack = withheld.filter((job) => !isOnRecord(look, job));
  return {
    given: withheld.filter((job) => isOnRecord(look, job)),
    imposed,
    /** Once they are on record, they are given theirs. */
    awaited: [...keptBack, ...imposed.filter(hasEnded)],
  };
}

/** Seconds; before the result is on record somebody else has set it. */
function givenTtl(job: KubeObject): number | undefined {
  return jobParts(job).spec.ttlSecondsAfterFinished;
}

/** What its template says is noted already, if it says anything. */
export function notedAnew(job: KubeObject): string {
  const noted = job.metadata.annotations?.[annotations.ttlSecondsAfterFinished];
  return noted !== undefined && /^\d+$/u.test(noted) ? noted : String(givenTtl(job));
}

/** As the status says that was read: the write that tells it now may be refused. */
function isOnRecord(look: Look, { metadata }: KubeObject): boolean {
  const step = metadata.labels?.[labels.step] ?? '';
  const attempt = Number(metadata.labels?.[labels.attempt]);
  const record = recordOf(look, step);
  if (record === undefined || metadata.name !== jobName(look.flow, step, attempt)) return false;
  if (attempt < attemptOf(record) || record.state === 'Succeed') return true;
  if (attempt === attemptOf(record) && record.state === 'Failed') return true;
  return isOver(record) && hasEndedFlow(look.flow);
}

/** A flow that cannot be run is judged anew when it was changed; one that was too late stays so. */
export function hasEndedFlow({ metadata, status }: JobFlow): boolean {
  const isEnd = status?.state === 'Succeed' || status?.state === 'Failed';
  const isJudged = status?.observedGeneration === metadata.generation;
  const isTooLate = ['StartDeadlineExceeded', 'Shutdown'].includes(status?.reason ?? '');
  return isEnd && (status.startTime !== undefined || isJudged || isTooLate);
}

/** When the flow itself goes, milliseconds since the epoch; undefined: never. */
export function flowGoesMs(
  { spec }: JobFlow,
  { state, completionTime }: Pick<JobFlowStatus, 'state' | 'completionTime'>,
): number | undefined {
  const isEnd = state === 'Succeed' || state === 'Failed';
  const { ttlSecondsAfterFinished: seconds } = spec;
  if (!isEnd || seconds === undefined || completionTime === undefined) return undefined;
  return msOf(completionTime) + seconds * 1_000;
}
