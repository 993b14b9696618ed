/** When to ask again for children that the API server refused. */
import { conditionSince } from '#shared/domain/findings.ts';
import type { ParentStatus } from './parent.ts';

/** A foreign Job holds the name: looked at again this often, milliseconds. */
const conflictDelayMs = 10_000;
/** It is being deleted, so that the name is about to be free, milliseconds. */
const releaseDelayMs = 5_000;
/** Permission or quota: the wait grows with the time it has lasted, between these, milliseconds. */
const shortestDelayMs = 5_000;
const longestDelayMs = 60_000;

/**
 * Milliseconds since the epoch; undefined when nothing is refused. Computed from the time at which the parent became
 * blocked, so that it needs no counter.
 */
export function askAgainMs(
  reasons: readonly (string | undefined)[],
  { conditions }: ParentStatus,
  nowMs: number,
): number | undefined {
  if (reasons.length === 0) return undefined;
  if (reasons.includes('NameTerminating')) return nowMs + releaseDelayMs;
  if (reasons.includes('NameConflict')) return nowMs + conflictDelayMs;
  const lastedMs = nowMs - (conditionSince(conditions, 'Blocked') ?? nowMs);
  return nowMs + Math.min(longestDelayMs, Math.max(shortestDelayMs, lastedMs));
}
