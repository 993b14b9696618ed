import { isObject } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { type Plan, statusPatchOf } from '#shared/domain/plan.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { hasCondition } from '../progress.ts';

const suspended: ReadonlySet<unknown> = new Set(['Suspended']);

/** Its status says that everything has stopped, for its current spec. */
export function hasStopped({ metadata, status = null }: KubeObject): boolean {
  return (
    isObject(status) &&
    status['observedGeneration'] === metadata.generation &&
    hasCondition(status, suspended)
  );
}

/**
 * The plan records that everything of an object that may hold quota has stopped. Its quota is given back then, and a
 * Job that the view lacks would run without any. An object of the first generation was never admitted.
 */
export function reportsStop(object: KubeObject, plan: Plan): boolean {
  const { labels, annotations: notes, generation = 1 } = object.metadata;
  const mayHoldQuota =
    generation > 1 &&
    (labels?.[queueLabel] !== undefined || notes?.[annotations.givenUp] !== undefined);
  if (!mayHoldQuota || hasStopped(object)) return false;
  const { status = null } = object;
  return hasStopped({
    ...object,
    status: { ...(isObject(status) ? status : {}), ...statusPatchOf(plan) },
  });
}

/** It is suspended since its creation and had no pass yet. A status may lag behind the Jobs that it records. */
export function isUntouched({ metadata, status }: KubeObject): boolean {
  return status === undefined && (metadata.generation ?? 1) === 1;
}
