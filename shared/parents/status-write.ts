/**
 * Decides which changes of a status need a write of their own, because each request costs. Others go with the next
 * write or become due at some time.
 */
import { membersOf } from '#shared/domain/json-value.ts';
import { mergePatch } from '#shared/domain/merge-patch.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { rfc3339Micro } from '#shared/domain/time.ts';

export interface StatusWrite {
  readonly patch?: JsonObject;
  /** When a held-back change is due, in milliseconds since the epoch. */
  readonly dueMs?: number;
}

/** Milliseconds since the epoch. Undefined: it needs no write of its own. */
export type Due = number | 'now' | undefined;

/** `dueOf` says when the given changes are to be written. */
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
 * The compared part of a status. Fields that only another version knows are not compared, because they must not be
 * removed. The write time and `derived` fields do not count as changes either.
 */
export function comparedBy<Status extends object>(
  schema: { readonly properties: object },
  derived: readonly string[] = [],
): (status: Status) => Status {
  const left = new Set(['lastUpdateTime', ...derived]);
  const compared = new Set(Object.keys(schema.properties).filter((name) => !left.has(name)));
  return (status) => membersOf(status as JsonObject, (name) => compared.has(name)) as Status;
}

/** A start time that turns out to be earlier is written with other changes. */
export function rides(field: string, { startTime }: { readonly startTime?: string }): boolean {
  return startTime !== undefined && field === 'startTime';
}
