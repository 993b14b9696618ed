/** In which order what is held starts, and what runs gives way. */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SelectedObject } from '../snapshot.ts';
import { noteOf } from './mark.ts';
import type { Situation } from './situation.ts';
import { type Governed, hasPlace, takesRoom } from './standing.ts';
import { inTurns, type Ranked } from './turns.ts';

/** How long it has been waiting, milliseconds. */
function waitedMs({ nowMs }: Situation, object: SelectedObject): number {
  const createdMs = parseTime(object.createdAt) ?? nowMs;
  // A note that it was created with may say anything: nothing waits since before its creation.
  const sinceMs = Math.max(parseTime(noteOf(object).since) ?? createdMs, createdMs);
  return Math.max(0, nowMs - sinceMs);
}

/** It has waited as long as anything may: nothing starts before it. */
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
 * What is overdue first, the longest wait before the others; then by priority, age and uid. Where groups share
 * the room, those of one priority take turns; what runs of `all` has a part of it already.
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

/** The lowest priority first, the youngest before the older. */
export function inSuspendingOrder(objects: readonly SelectedObject[]): readonly SelectedObject[] {
  return objects.toSorted((left, right) => left.priority - right.priority || byAge(right, left));
}

/** After every start that is on record. */
const notYet = '9999-12-31T23:59:59Z';

/** What has not started before what has, and then the latest to start first. */
export function latestFirst(objects: readonly SelectedObject[]): readonly SelectedObject[] {
  const startOf = ({ startedAt = notYet }: SelectedObject) => startedAt;
  return objects.toSorted(
    (left, right) => compareTexts(startOf(right), startOf(left)) || byAge(right, left),
  );
}

function byAge(left: SelectedObject, right: SelectedObject): number {
  return compareTexts(left.createdAt, right.createdAt) || compareTexts(left.uid, right.uid);
}
