/**
 * Which differences of a status are worth a write of their own: requests are counted. What is not goes with the next
 * write, or is due at some time.
 */
import { membersOf } from '#shared/domain/json-value.ts';
import { mergePatch } from '#shared/domain/merge-patch.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { rfc3339Micro } from '#shared/domain/time.ts';

export interface StatusWrite {
  readonly patch?: JsonObject;
  /** When a difference that is held back is due, milliseconds since the epoch. */
  readonly dueMs?: number;
}

/** Milliseconds since the epoch; undefined: it need not be written for its own sake. */
export type Due = number | 'now' | undefined;

/** `dueOf` says when these changes are to be written. */
export function statusWrite(
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
  nowMs: number,
  dueOf: (changes: JsonObject) => Due,
): StatusWrite {
  const changes = mergePatch(before, after);
  if (changes === undefined) return {};
  const dueMs = dueOf(changes);
  if (dueMs === 'now' || (dueMs !== undefined && dueMs <= nowMs)) {
    return { patch: { ...changes, lastUpdateTime: rfc3339Micro(nowMs) } };
  }
  return dueMs === undefined ? {} : { dueMs };
}

/**
 * What of a status is compared: a field that only another version knows is not ours to remove, and when it was written
 * is no difference; nor is what is `derived` anew with each write.
 */
export function comparedBy<Status extends object>(
  schema: { readonly properties: object },
  derived: readonly string[] = [],
): (status: Status) => Status {
  const left = new Set(['lastUpdateTime', ...derived]);
  const compared = new Set(Object.keys(schema.properties).filter((name) => !left.has(name)));
  return (status) => membersOf(status as JsonObject, (name) => compared.has(name)) as Status;
}

/** That the first child is older than was thought comes with other news. */
export function rides(field: string, { startTime }: { readonly startTime?: string }): boolean {
  return startTime !== undefined && field === 'startTime';
}
