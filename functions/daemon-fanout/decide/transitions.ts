/** What changes between the status that was read and the one that is wanted. */
import type { DaemonJobStatus, NodeEntry } from '#shared/api/daemon-job.ts';
import { type Condition, conditionStatus } from '#shared/domain/conditions.ts';

export interface Transitions {
  readonly before: DaemonJobStatus;
  readonly after: DaemonJobStatus;
  /** Entries whose state or reason is new. */
  readonly nodes: readonly NodeEntry[];
}

export function transitionsOf(before: DaemonJobStatus, after: DaemonJobStatus): Transitions {
  const known = new Map((before.nodes ?? []).map((entry) => [entry.name, entry]));
  const nodes = (after.nodes ?? []).filter((entry) => {
    const previous = known.get(entry.name);
    return previous?.state !== entry.state || previous.reason !== entry.reason;
  });
  return { before, after, nodes };
}

/** The condition as it is now, if it has just come to this status. */
export function turned(
  { before, after }: Transitions,
  type: string,
  status: 'True' | 'False',
): Condition | undefined {
  if (conditionStatus(before.conditions, type) === status) return undefined;
  return after.conditions?.find(
    (condition) => condition.type === type && condition.status === status,
  );
}
