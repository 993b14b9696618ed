/** When a parent started and when it ended. */
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { parseTime, rfc3339 } from '#shared/domain/time.ts';
import type { ParentState, ParentStatus } from './parent.ts';

/** The API server's time has whole seconds, so this difference does not count. Milliseconds. */
const clockResolutionMs = 1_000;

/**
 * Not later than the creation of the first Job. The pass that created it may have ended before the start was
 * recorded, and the pass that adopts it does not read it.
 */
export function startOf(status: ParentStatus, jobs: readonly ObservedJob[], nowMs: number): string {
  const known = status.startTime ?? rfc3339(nowMs);
  const created = jobs.map(({ creationTimestamp = known }) => creationTimestamp);
  const [first = known] = created.toSorted();
  const isEarlier = (parseTime(first) ?? 0) < (parseTime(known) ?? 0) - clockResolutionMs;
  return isEarlier ? first : known;
}

/** `last`: when the last child ended. A recorded end keeps its time unless the parent was retried. */
export function ended(
  status: ParentStatus,
  { state, isRetried }: { readonly state: ParentState; readonly isRetried: boolean },
  nowMs: number,
  last: () => string | undefined,
): Pick<ParentStatus, 'completionTime'> {
  if (state !== 'Succeed' && state !== 'Failed') return {};
  const wasOver = status.state === state && !isRetried ? status.completionTime : undefined;
  return { completionTime: wasOver ?? last() ?? rfc3339(nowMs) };
}
