import { isObject } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
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

/** It is suspended since its creation and had no pass yet. A status may lag behind the Jobs that it records. */
export function isUntouched({ metadata, status }: KubeObject): boolean {
  return status === undefined && (metadata.generation ?? 1) === 1;
}
