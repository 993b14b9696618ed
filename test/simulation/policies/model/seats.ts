/** Chooses the objects that run under a capacity: an order, and a row of seats. */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SelectedObject } from '#functions/suspend-schedule/snapshot.ts';
import type { Wanted } from './wanted.ts';

/** Uids of the objects that should run, among those that want a seat. */
export function seats(
  { spec }: SuspendPolicy,
  wanted: readonly Wanted[],
  nowMs: number,
): ReadonlySet<string> {
  const asking = wanted.filter(({ want }) => want === 'seat').map(({ object }) => object);
  const most = spec.capacity?.maxJobs;
  if (most === undefined) return new Set(asking.map(({ uid }) => uid));
  const sitting = asking.filter(isSeated);
  const preempts = spec.preemption?.mode === 'LowerPriority';
  const taken = wanted.filter(({ want, object, counts }) => counts && takesSeat(want, object));
  const leaving = wanted.filter(
    ({ want, object, counts }) => counts && !takesSeat(want, object) && object.isActive,
  );
  let used = taken.length;
  let gone = leaving.length;
  const stand = (object: SelectedObject): void => {
    sitting.splice(sitting.indexOf(object), 1);
    used -= 1;
    gone += 1;
  };
  const surplus = preempts ? sitting.toSorted(leastFirst) : sitting.toSorted(latestFirst);
  for (const object of surplus) if (used > most) stand(object);
  const seated: SelectedObject[] = [];
  const isOverdue = (object: SelectedObject) =>
    waitedMs(object, nowMs) >= (spec.fairness?.maxWaitSeconds ?? Infinity) * 1_000;
  let isBlocked = false;
  for (const object of waitingLine(spec, asking, wanted, nowMs)) {
    if (isBlocked) break;
    if (used + gone + 1 <= most) {
      seated.push(object);
      used += 1;
      continue;
    }
    const victims = preempts ? victimsFor(object, sitting, used, most, spec, nowMs) : undefined;
    victims?.forEach(stand);
    isBlocked =
      victims !== undefined || spec.order?.strategy !== 'BestEffortFIFO' || isOverdue(object);
  }
  return new Set([...sitting, ...seated].map(({ uid }) => uid));
}

function takesSeat(want: Wanted['want'], object: SelectedObject): boolean {
  return want === 'run' || (isSeated(object) && want !== 'hold');
}

/** It runs, or an earlier decision gave it a seat. */
function isSeated({ suspend, isStarting }: SelectedObject): boolean {
  return !suspend || isStarting === true;
}

/** The objects that lose their seats for it. Undefined: that would not be enough. */
function victimsFor(
  object: SelectedObject,
  sitting: readonly SelectedObject[],
  used: number,
  most: number,
  spec: SuspendPolicy['spec'],
  nowMs: number,
): readonly SelectedObject[] | undefined {
  const minRunMs = (spec.preemption?.minRunSeconds ?? 0) * 1_000;
  const lower = sitting
    .toSorted(leastFirst)
    .filter(({ priority, isStarting }) => priority < object.priority && isStarting !== true)
    .filter(({ startedAt }) => (parseTime(startedAt) ?? -Infinity) + minRunMs <= nowMs);
  const needed = Math.max(0, used + 1 - most);
  return lower.length < needed ? undefined : lower.slice(0, needed);
}

function waitingLine(
  { fairness }: SuspendPolicy['spec'],
  asking: readonly SelectedObject[],
  wanted: readonly Wanted[],
  nowMs: number,
): readonly SelectedObject[] {
  const { agingSeconds, maxWaitSeconds = Infinity, groupBy } = fairness ?? {};
  const rank = (object: SelectedObject) => {
    const waited = waitedMs(object, nowMs);
    const aged = agingSeconds === undefined ? 0 : Math.floor(waited / (agingSeconds * 1_000));
    return { late: waited >= maxWaitSeconds * 1_000 ? waited : -1, rank: object.priority + aged };
  };
  const queue = asking
    .filter((object) => !isSeated(object))
    .toSorted((left, right) => {
      const [one, other] = [rank(left), rank(right)];
      return other.late - one.late || other.rank - one.rank || byBirth(left, right);
    });
  if (groupBy === undefined) return queue;
  const present = wanted
    .filter(({ counts, object }) => counts && (isSeated(object) || object.isActive))
    .map(({ object }) => object);
  const line: SelectedObject[] = [];
  for (let first = queue[0]; first !== undefined; first = queue[0]) {
    const { late, rank: level } = rank(first);
    const peers = queue.filter((each) => rank(each).late < 0 && rank(each).rank === level);
    const share = ({ group }: SelectedObject) =>
      [...present, ...line].filter((other) => other.group === group).length;
    const least = Math.min(...peers.map(share));
    const next = late >= 0 ? first : (peers.find((each) => share(each) === least) ?? first);
    queue.splice(queue.indexOf(next), 1);
    line.push(next);
  }
  return line;
}

/**
 * Since its note that it is held, but never since before its creation: it may have been created with any note.
 * Even Millrace's note may have such a time, because its writer's clock may be behind.
 */
function waitedMs({ held, createdAt }: SelectedObject, nowMs: number): number {
  const { since } = JSON.parse(held ?? '{}') as { readonly since?: string };
  const createdMs = parseTime(createdAt) ?? nowMs;
  const notedMs = parseTime(since) ?? createdMs;
  const isBelieved = notedMs > createdMs;
  return Math.max(0, nowMs - (isBelieved ? notedMs : createdMs));
}

function leastFirst(left: SelectedObject, right: SelectedObject): number {
  return left.priority - right.priority || byBirth(right, left);
}

function latestFirst(left: SelectedObject, right: SelectedObject): number {
  const [one, other] = [left, right].map(({ startedAt }) => parseTime(startedAt) ?? Infinity);
  if (one === other) return byBirth(right, left);
  return one! > other! ? -1 : 1;
}

function byBirth(left: SelectedObject, right: SelectedObject): number {
  return byText(left.createdAt, right.createdAt) || byText(left.uid, right.uid);
}

function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
