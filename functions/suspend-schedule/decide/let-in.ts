/**
 * Work that admission let in is stored a moment later, perhaps after work that was held for lack of capacity. Until
 * then, capacity that seems free may be taken.
 */
import { parseTime } from '#shared/domain/time.ts';
import type { SelectedObject } from '../snapshot.ts';
import { noteOf } from './mark.ts';
import type { Situation } from './situation.ts';

/** An object may be unseen for this time after it was let in, milliseconds. Times on objects have whole seconds. */
const unseenMs = 3_000;

/** Until when unseen objects may have been let in, milliseconds since the epoch. Undefined: there are none. */
export function unseenUntilMs(
  { key, nowMs }: Situation,
  waiting: readonly SelectedObject[],
): number | undefined {
  const times = waiting.flatMap((object) => {
    // The submitted note may hold any time, so a time after the object's creation does not count.
    const createdMs = parseTime(object.createdAt) ?? -Infinity;
    if (createdMs + unseenMs <= nowMs) return [];
    const { policy, letIn } = noteOf(object);
    const letInMs = policy === key ? parseTime(letIn) : undefined;
    return letInMs === undefined ? [] : [Math.min(letInMs, createdMs) + unseenMs];
  });
  const latest = Math.max(...times);
  return latest > nowMs ? latest : undefined;
}
