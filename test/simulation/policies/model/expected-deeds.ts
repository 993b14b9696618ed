/**
 * The deeds of a policy for each selected object, from the rules (page of ADR 13) and without the deciding code.
 * At most one deed for each object.
 */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SelectedObject, SuspendSnapshot } from '#functions/suspend-schedule/snapshot.ts';
import { type Opening, openingAt } from './closed-times.ts';
import { seats } from './seats.ts';
import type { Want, Wanted } from './wanted.ts';

/**
 * suspend and resume: literally. mark: a suspended object gets the policy's name and reason. clear: a running
 * object is no longer held. warn: it will be suspended soon. free: a user has resumed it by hand.
 */
export type Deed = 'suspend' | 'resume' | 'mark' | 'clear' | 'warn' | 'free' | 'nothing';

export interface Expected {
  readonly opening: Opening;
  readonly deeds: ReadonlyMap<string, Deed>;
  /** Objects that it decides about and holds. A suspended one that still runs is not held. */
  readonly held: number;
}

export function expectedDeeds(snapshot: SuspendSnapshot, nowMs: number): Expected {
  const { policy, objects } = snapshot;
  const opening = openingAt(policy.spec.schedule, nowMs);
  const selected = objects.filter(({ isSelected }) => isSelected !== false);
  const mine = selected.filter((object) => isMine(snapshot, object, nowMs));
  const wanted = mine.map((object) => wantedOf(policy, opening, object, nowMs));
  const seated = seats(policy, wanted, nowMs);
  const deeds = new Map<string, Deed>();
  let held = 0;
  for (const { uid } of objects.filter(isToBeReleased)) deeds.set(uid, 'resume');
  for (const each of wanted) {
    const { object } = each;
    const want = each.want === 'seat' ? (seated.has(object.uid) ? 'run' : 'hold') : each.want;
    if (want === 'hold' && !runsOn(object)) held += 1;
    const isFull = each.want === 'seat';
    deeds.set(object.uid, deedOf({ policy, opening, object, want, isFull, nowMs }));
  }
  return { opening, deeds, held };
}

/** Its suspension only stops new starts: suspendMode SchedulingOnly. */
function runsOn({ suspend, isActive, suspendsStartsOnly }: SelectedObject): boolean {
  return suspend && isActive && suspendsStartsOnly === true;
}

/** A policy that no longer selects it holds it, and no other one does. */
function isToBeReleased({
  isSelected,
  rivals = [],
  override,
  untouchable,
}: SelectedObject): boolean {
  const isWantedSo = override?.startsWith('Hold') === true || untouchable !== undefined;
  return isSelected === false && rivals.length === 0 && !isWantedSo;
}

/** Precedence first. Among equals a closed one, then one with a capacity, then the name. */
function isMine({ policy, rivals }: SuspendSnapshot, object: SelectedObject, nowMs: number) {
  const own = {
    precedence: policy.spec.precedence ?? 0,
    isOpen: openingAt(policy.spec.schedule, nowMs).isOpen,
    hasCapacity: policy.spec.capacity !== undefined,
    key: keyOf(policy),
  };
  return (object.rivals ?? []).every((index) => {
    const rival = rivals[index]!;
    const { isOpen } = openingAt(rival.schedule, nowMs);
    if (rival.precedence !== own.precedence) return own.precedence > rival.precedence;
    if (isOpen !== own.isOpen) return isOpen;
    if (rival.hasCapacity !== own.hasCapacity) return own.hasCapacity;
    return own.key < rival.key;
  });
}

function keyOf({ kind, metadata: { namespace, name } }: SuspendPolicy): string {
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

function wantedOf(
  policy: SuspendPolicy,
  opening: Opening,
  object: SelectedObject,
  nowMs: number,
): Wanted {
  const { suspend, mark, hasRun, resumedBy, override, createdAt } = object;
  if (object.untouchable !== undefined) return { object, want: 'leave', counts: false };
  const adopt = policy.spec.adopt ?? 'Running';
  const isFresh = suspend && mark === undefined && !hasRun && resumedBy === undefined;
  // An object that it admitted is its own, even if the view is old.
  const isTaken = suspend
    ? object.isStarting === true ||
      (mark !== undefined && !isFreed(mark)) ||
      (isFresh && adopt !== 'Running')
    : adopt !== 'Suspended' || mark !== undefined || resumedBy !== undefined;
  if (override?.startsWith('Run') === true) return { object, want: 'run', counts: isTaken };
  if (override?.startsWith('Hold') === true) return { object, want: 'hold', counts: isTaken };
  if (isResumedByHand(policy, opening, object)) return { object, want: 'leave', counts: true };
  if (!isTaken) return { object, want: 'leave', counts: false };
  if (opening.isOpen) return { object, want: 'seat', counts: true };
  const { action = 'Suspend', afterSeconds = 0 } = policy.spec.schedule?.onClose ?? {};
  const closedMs = opening.sinceMs ?? 0;
  const isLate = (parseTime(createdAt) ?? Infinity) >= closedMs;
  if (suspend || isLate || action === 'Suspend') return { object, want: 'hold', counts: true };
  const isSpared = action === 'LetFinish' || nowMs < closedMs + afterSeconds * 1_000;
  return { object, want: isSpared ? 'grace' : 'hold', counts: true };
}

/**
 * It still has the mark of this period; Millrace removes the mark when it resumes. If the user has suspended it again, it
 * takes its room until its Pods have ended.
 */
function isResumedByHand(
  { metadata }: SuspendPolicy,
  { sinceMs = 0 }: Opening,
  object: SelectedObject,
) {
  const own = `${metadata.uid}/${Math.floor(sinceMs / 1_000)}`;
  return object.mark === `${own}/nothing` || (!object.suspend && object.mark === own);
}

/** A user resumed it, so a later suspension is the user's own. */
export function isFreed(mark: string | undefined): boolean {
  return mark?.endsWith('/nothing') === true;
}

interface Case {
  readonly policy: SuspendPolicy;
  readonly opening: Opening;
  readonly object: SelectedObject;
  readonly want: Exclude<Want, 'seat'>;
  readonly isFull: boolean;
  readonly nowMs: number;
}

function deedOf({ policy, opening, object, want, isFull, nowMs }: Case): Deed {
  const { suspend, mark, held } = object;
  switch (want) {
    case 'run':
      if (suspend) return 'resume';
      return mark === undefined && held === undefined ? 'nothing' : 'clear';
    case 'leave':
      return isResumedByHand(policy, opening, object) && held !== undefined ? 'free' : 'nothing';
    case 'grace': {
      const { warnSeconds, action, afterSeconds = 0 } = policy.spec.schedule?.onClose ?? {};
      if (action === 'LetFinish' || warnSeconds === undefined) return 'nothing';
      const suspendsMs = (opening.sinceMs ?? 0) + afterSeconds * 1_000;
      const isDue = nowMs >= suspendsMs - warnSeconds * 1_000;
      return isDue && !isWarned(policy, held, suspendsMs) ? 'warn' : 'nothing';
    }
    case 'hold': {
      if (!suspend) return 'suspend';
      const isOverridden = object.override?.startsWith('Hold') === true;
      const reason = isOverridden ? 'Override' : isFull ? 'CapacityFull' : 'WindowClosed';
      const until = reason === 'WindowClosed' ? opening.untilMs : undefined;
      return isNoted({ policy, mark, held, reason, until }) ? 'nothing' : 'mark';
    }
  }
}

/** For this time: a late warning about an earlier closing names another time. */
function isWarned(policy: SuspendPolicy, held: string | undefined, suspendsMs: number): boolean {
  const note = noteIn(held);
  return note['policy'] === keyOf(policy) && parseTime(note['suspends']) === suspendsMs;
}

interface Note {
  readonly policy: SuspendPolicy;
  readonly mark: string | undefined;
  readonly held: string | undefined;
  readonly reason: string;
  readonly until: number | undefined;
}

function isNoted({ policy, mark, held, reason, until }: Note): boolean {
  const note = noteIn(held);
  return (
    mark?.startsWith(`${policy.metadata.uid}/`) === true &&
    note['policy'] === keyOf(policy) &&
    note['reason'] === reason &&
    parseTime(note['until']) === until
  );
}

function noteIn(held: string | undefined): Readonly<Record<string, string | undefined>> {
  return JSON.parse(held ?? '{}') as Readonly<Record<string, string | undefined>>;
}
