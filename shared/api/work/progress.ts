/** The Pods of work, as its status reports them. */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { JsonObject } from '#shared/domain/objects.ts';

/** It counts Pods or steps that run or still terminate. */
export function countsActive(status: JsonObject): boolean {
  return ['active', 'terminating', 'running'].some((count) => isPositive(status[count]));
}

/** It was started once, according to its counts and start time. */
export function hasStarted(status: JsonObject): boolean {
  return (
    typeof status['startTime'] === 'string' ||
    ['succeeded', 'failed'].some((count) => isPositive(status[count]))
  );
}

/** A kind of Millrace ends in one of these states. */
export function isInFinalState({ state }: JsonObject): boolean {
  return state === 'Succeed' || state === 'Failed';
}

/** Whether one of these conditions is true. */
export function hasCondition(status: JsonObject, types: ReadonlySet<unknown>): boolean {
  const conditions = status['conditions'] ?? null;
  return (
    isList(conditions) &&
    conditions
      .filter((condition) => isObject(condition))
      .some(({ type, status: holds }) => types.has(type) && holds === 'True')
  );
}

function isPositive(count: unknown): boolean {
  return typeof count === 'number' && count > 0;
}
