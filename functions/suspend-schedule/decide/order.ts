/** In which order held objects start, and running ones are suspended. */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SelectedObject } from '../snapshot.ts';
import { noteOf } from './mark.ts';
import type { Situation } from './situation.ts';
import { type Governed, hasPlace, takesRoom } from './standing.ts';
import { inTurns, type Ranked } from './turns.ts';

/** The time that it has been waiting, milliseconds. */
function waitedMs({ nowMs }: Situation, object: SelectedObject): number {
  const createdMs = parseTime(object.createdAt) ?? nowMs;
  // The submitted note may hold any time, so the wait never counts from before the creation.
  const sinceMs = Math.max(parseTime(noteOf(object).since) ?? createdMs, createdMs);
  return Math.max(0, nowMs - sinceMs);
}

/** The object has waited for the longest permitted time: no other one starts before it. */
export function isOverdue(situation: Situation, object: SelectedObject): boolean {
  const { maxWaitSeconds } = situation.policy.spec.fairness ?? {};
  return maxWaitSeconds !== undefined && waitedMs(situation, object) >= maxWaitSeconds * 1_000;
}

function effectivePriority(situation: Situation, object: SelectedObject): number {
  const { agingSeconds } = situation.policy.spec.fairness ?? {};
  if (agingSeconds === undefined) return object.priority;
  return object.priority + Math.floor(waitedMs(situation, object) / (agingSeconds * 1_000));
}

/**
 * Overdue objects first, by the length of their wait; then by priority, age and uid. If groups share the capacity,
 * they take turns within one priority. Running objects of `all` count for their groups.
 */
export function inStartingOrder(
  situation: Situation,
  objects: readonly SelectedObject[],
  all: readonly Governed[],
): readonly SelectedObject[] {
  const ranked = objects.map((object): Ranked => ({
    object,
    overdueMs: isOverdue(situation, object) ? waitedMs(situation, object) : -1,
    priority: effectivePriority(situation, object),
  }));
  ranked.sort(
    (left, right) =>
      right.overdueMs - left.overdueMs ||
      right.priority - left.priority ||
      byAge(left.object, right.object),
  );
  const isShared = situation.policy.spec.fairness?.groupBy !== undefined;
  const order = isShared
    ? inTurns(
        ranked,
        all.filter(takesRoomNow).map(({ object }) => object),
      )
    : ranked;
  return order.map(({ object }) => object);
}

function takesRoomNow(each: Governed): boolean {
  return takesRoom(each) && (hasPlace(each.object) || each.object.isActive);
}

/** The lowest priority first, and the youngest first within it. */
export function inSuspendingOrder(objects: readonly SelectedObject[]): readonly SelectedObject[] {
  return objects.toSorted((left, right) => left.priority - right.priority || byAge(right, left));
}

/** Later than every recorded start. */
const notYet = '9999-12-31T23:59:59Z';

/** Objects that have not started first, then the latest to start. */
export function latestFirst(objects: readonly SelectedObject[]): readonly SelectedObject[] {
  const startOf = ({ startedAt = notYet }: SelectedObject) => startedAt;
  return objects.toSorted(
    (left, right) => compareTexts(startOf(right), startOf(left)) || byAge(right, left),
  );
}

function byAge(left: SelectedObject, right: SelectedObject): number {
  return compareTexts(left.createdAt, right.createdAt) || compareTexts(left.uid, right.uid);
}
