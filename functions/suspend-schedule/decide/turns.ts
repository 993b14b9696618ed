/** Groups share the capacity: within one priority, the next object is from the group that runs least. */
import type { SelectedObject } from '../snapshot.ts';

/** An object with what decides its place. */
export interface Ranked {
  readonly object: SelectedObject;
  /** The time that an overdue object has waited, milliseconds. -1: it is not overdue. */
  readonly overdueMs: number;
  readonly priority: number;
}

/**
 * `ranked` is sorted by everything else. An object with an earlier place counts for its group like a running one.
 * Overdue objects do not wait for their turn.
 */
export function inTurns(
  ranked: readonly Ranked[],
  running: readonly SelectedObject[],
): readonly Ranked[] {
  const shares = new Map<string, number>();
  const count = (group: string): void => {
    shares.set(group, (shares.get(group) ?? 0) + 1);
  };
  for (const object of running) count(groupOf(object));
  const levels = Map.groupBy(ranked, levelOf);
  return [...levels].flatMap(([level, members]) => {
    if (level === overdue) {
      for (const { object } of members) count(groupOf(object));
      return members;
    }
    return taken(members, shares, count);
  });
}

function taken(
  members: readonly Ranked[],
  shares: ReadonlyMap<string, number>,
  count: (group: string) => void,
): readonly Ranked[] {
  const placed = members.map((member, place): Head => ({
    member,
    place,
    group: groupOf(member.object),
  }));
  const queues = Map.groupBy(placed, ({ group }) => group);
  const comesBefore = (left: Head, right: Head): boolean => {
    const difference = (shares.get(left.group) ?? 0) - (shares.get(right.group) ?? 0);
    return difference < 0 || (difference === 0 && left.place < right.place);
  };
  return members.flatMap(() => {
    let next: Head | undefined;
    for (const [head] of queues.values()) {
      if (head !== undefined && (next === undefined || comesBefore(head, next))) next = head;
    }
    if (next === undefined) return [];
    queues.get(next.group)?.shift();
    count(next.group);
    return [next.member];
  });
}

/** A waiting object, its group, and its place without turns. */
interface Head {
  readonly member: Ranked;
  readonly place: number;
  readonly group: string;
}

const overdue = 'overdue';

/** Groups take turns within one level. */
function levelOf({ overdueMs, priority }: Ranked): string | number {
  return overdueMs < 0 ? priority : overdue;
}

function groupOf({ group = '' }: SelectedObject): string {
  return group;
}
