/** When ended objects may be deleted (rule 14). */
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { attemptOf, jobName } from './attempts-and-retries.ts';
import { hasEnded, jobParts } from './job-fate.ts';
import { isOver, type Look, msOf, recordOf } from './look.ts';

/**
 * The template's TTL in seconds, which its Job gets only after its result is recorded. A value that is
 * not a whole number is no TTL.
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
    /** They get their TTL once they are recorded. */
    awaited: [...keptBack, ...imposed.filter(hasEnded)],
  };
}

/** Seconds. Before the result is recorded, another writer has set it. */
function givenTtl(job: KubeObject): number | undefined {
  return jobParts(job).spec.ttlSecondsAfterFinished;
}

/** The template's value is noted already, if it has one. */
export function notedAnew(job: KubeObject): string {
  const noted = job.metadata.annotations?.[annotations.ttlSecondsAfterFinished];
  return noted !== undefined && /^\d+$/u.test(noted) ? noted : String(givenTtl(job));
}

/** According to the status that was read, because the current write may be refused. */
function isOnRecord(look: Look, { metadata }: KubeObject): boolean {
  const step = metadata.labels?.[labels.step] ?? '';
  const attempt = Number(metadata.labels?.[labels.attempt]);
  const record = recordOf(look, step);
  if (record === undefined || metadata.name !== jobName(look.flow, step, attempt)) return false;
  if (attempt < attemptOf(record) || record.state === 'Succeed') return true;
  if (attempt === attemptOf(record) && record.state === 'Failed') return true;
  return isOver(record) && hasEndedFlow(look.flow);
}

/** An invalid flow is judged again after a change; one that was too late stays so. */
export function hasEndedFlow({ metadata, status }: JobFlow): boolean {
  const isEnd = status?.state === 'Succeed' || status?.state === 'Failed';
  const isJudged = status?.observedGeneration === metadata.generation;
  const isTooLate = ['StartDeadlineExceeded', 'Shutdown'].includes(status?.reason ?? '');
  return isEnd && (status.startTime !== undefined || isJudged || isTooLate);
}

/** When the flow itself is deleted, in milliseconds since the epoch. Undefined: never. */
export function flowGoesMs(
  { spec }: JobFlow,
  { state, completionTime }: Pick<JobFlowStatus, 'state' | 'completionTime'>,
): number | undefined {
  const isEnd = state === 'Succeed' || state === 'Failed';
  const { ttlSecondsAfterFinished: seconds } = spec;
  if (!isEnd || seconds === undefined || completionTime === undefined) return undefined;
  return msOf(completionTime) + seconds * 1_000;
}
