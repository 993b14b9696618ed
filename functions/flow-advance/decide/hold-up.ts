import type { StepRecord } from '#shared/api/job-flow.ts';
import { holdUpDueMs, type Place } from '#shared/domain/hold-up.ts';
import { objectName } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { isOnItsWay } from './record.ts';
import type { Situation } from './situation.ts';

/** When to report a problem that may still pass by itself, milliseconds since the epoch. */
export function holdUpsDueMs(
  situation: Situation,
  steps: readonly { readonly record: StepRecord; readonly job?: ObservedJob }[],
): readonly (number | undefined)[] {
  const place = placeOf(situation);
  return steps.map(({ record, job }) => {
    const isUnderway = record.state === 'Pending' || record.state === 'Running';
    if (!isUnderway || isOnItsWay(record) || job === undefined) return undefined;
    return holdUpDueMs(place, job);
  });
}

/** The namespace and time for which a Job of this flow is judged. */
export function placeOf(situation: Situation): Place {
  return { namespace: objectName(situation.flow.metadata).namespace, nowMs: situation.nowMs };
}
