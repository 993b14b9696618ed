/**
 * What admission has let in is stored a moment later, perhaps after what it held for want of room. That there
 * is room in sight says nothing then.
 */
import { parseTime } from '#shared/domain/time.ts';
import type { SelectedObject } from '../snapshot.ts';
import { noteOf } from './mark.ts';
import type { Situation } from './situation.ts';

/** So long after it was let in it is in sight, milliseconds: times on objects are of whole seconds. */
const unseenMs = 3_000;

/** Until when something may have been let in that is not in sight, milliseconds since the epoch; undefined: nothing. */
export function unseenUntilMs(
  { key, nowMs }: Situation,
  waiting: readonly SelectedObject[],
): number | undefined {
  const times = waiting.flatMap((object) => {
    // A note that it was created with may say anything: nothing was let in before it after its creation.
    const createdMs = parseTime(object.createdAt) ?? -Infinity;
    if (createdMs + unseenMs <= nowMs) return [];
    const { policy, letIn } = noteOf(object);
    const letInMs = policy === key ? parseTime(letIn) : undefined;
    return letInMs === undefined ? [] : [Math.min(letInMs, createdMs) + unseenMs];
  });
  const latest = Math.max(...times);
  return latest > nowMs ? latest : undefined;
}
