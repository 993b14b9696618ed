/** When to ask again for children that the API server refused. */
import { conditionSince } from '#shared/domain/findings.ts';
import type { ParentStatus } from './parent.ts';

/** A foreign Job has the name: interval between checks, in milliseconds. */
const conflictDelayMs = 10_000;
/** The holder is being deleted, so the name is free soon. Milliseconds. */
const releaseDelayMs = 5_000;
/** Permission or quota: the wait grows with the time since the refusal, between these bounds, in milliseconds. */
const shortestDelayMs = 5_000;
const longestDelayMs = 60_000;

/**
 * Milliseconds since the epoch; undefined if nothing is refused. Computed from when the parent became blocked, so
 * that no counter is needed.
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
