import { isObject } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { hasCondition } from '../progress.ts';

const suspended: ReadonlySet<unknown> = new Set(['Suspended']);

/** Its own status says so of its present spec: all of it has stopped. */
export function hasStopped({ metadata, status = null }: KubeObject): boolean {
  return (
    isObject(status) &&
    status['observedGeneration'] === metadata.generation &&
    hasCondition(status, suspended)
  );
}

/** It is as it was created, suspended, and nobody has looked at it: a status may follow the Jobs that it records. */
export function isUntouched({ metadata, status }: KubeObject): boolean {
  return status === undefined && (metadata.generation ?? 1) === 1;
}
