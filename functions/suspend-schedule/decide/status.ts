/** The status of a policy, computed from the wishes for all objects. */
import type { SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import { annotationsFinding } from '#shared/api/annotation-faults.ts';
import { mostNamed, suspendPolicyStatusSchema } from '#shared/api/suspend-policy-status.ts';
import { type Finding, observedGeneration, withFindings } from '#shared/domain/findings.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import { progressDueAt } from '#shared/domain/pace.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { HoldReason } from '#shared/domain/held-note.ts';
import { listed, shortened } from '#shared/domain/wording.ts';
import { comparedBy, statusWrite, type StatusWrite } from '#shared/parents/status-write.ts';
import type { SelectedObject, SuspendSnapshot } from '../snapshot.ts';
import type { Action } from './actions.ts';
import type { Resumptions } from './last-resumed.ts';
import { nameOf } from '../name-of.ts';
import { inStartingOrder } from './order.ts';
import { shortageWords } from './shortage.ts';
import type { Refusals } from './refusals.ts';
import type { Situation } from './situation.ts';
import { hasPlace } from './standing.ts';
import type { Wished } from './wish.ts';

export interface Conflict {
  readonly policy: string;
  readonly objects: number;
  readonly decides: string;
}

export interface Outcome {
  readonly wished: readonly Wished[];
  /** Selected objects that another policy decides about. */
  readonly conflicts: readonly Conflict[];
  readonly actions: readonly Action[];
  readonly refusals: Refusals;
  readonly resumptions: Resumptions;
  readonly isDryRun: boolean;
}

export function followedStatus(situation: Situation, outcome: Outcome): SuspendPolicyStatus {
  const { state, nowMs, policy } = situation;
  const counts = countsOf(outcome.wished);
  const findings = findingsOf(situation, outcome, counts);
  const { generation } = policy.metadata;
  const { lastResumed } = outcome.resumptions;
  const held = findings.find(({ type }) => type === 'Held');
  return {
    state: state.opening,
    windows: [...state.because],
    ...timeOf('lastTransition', state.sinceMs),
    ...timeOf('nextTransition', state.untilMs),
    ...observedGeneration(generation),
    ...counts,
    ...plansOf(situation, outcome),
    ...(lastResumed === undefined ? {} : { lastResumed }),
    ...(outcome.conflicts.length === 0 ? {} : { conflicts: outcome.conflicts.slice(0, 32) }),
    conditions: withFindings(situation.status.conditions ?? [], findings, { nowMs, generation }),
    ...(held?.isTrue === true ? { reason: held.reason, message: held.message } : {}),
  };
}

/** The policy cannot be followed, so what it holds stays as it is. */
export function invalidStatus(
  { status, metadata }: { status: SuspendPolicyStatus; metadata: { generation?: number } },
  message: string,
  nowMs: number,
): SuspendPolicyStatus {
  const { generation } = metadata;
  const reason = 'InvalidSpec';
  const finding = { type: 'Accepted', isTrue: false, reason, message };
  return {
    state: 'Invalid',
    ...observedGeneration(generation),
    conditions: withFindings(status.conditions ?? [], [finding], { nowMs, generation }),
    reason,
    message,
  };
}

type Counts = Required<
  Pick<
    SuspendPolicyStatus,
    'selected' | 'running' | 'held' | 'terminating' | 'overridden' | 'unschedulable' | 'untouched'
  >
>;

function countsOf(wished: readonly Wished[]): Counts {
  const count = (is: (each: Wished) => boolean) => wished.filter(is).length;
  const governed = wished.filter(({ standing }) => standing !== 'untouchable');
  const held = governed.filter((each) => each.wish.kind === 'hold' && !goesOn(each));
  return {
    selected: governed.length,
    running: governed.filter((each) => runs(each.wish.kind, each.object) || goesOn(each)).length,
    held: held.length,
    terminating: held.filter(({ object }) => object.suspend && object.isActive).length,
    overridden: count(
      ({ standing, override }) => override !== undefined || standing === 'resumedByHand',
    ),
    unschedulable: count(({ wish }) => wish.kind === 'hold' && wish.reason === 'Unschedulable'),
    untouched: wished.length - governed.length,
  };
}

/** It is suspended, but its running steps continue because of its own `suspendMode`. */
function goesOn({ wish, object }: Wished): boolean {
  const { suspend, isActive, suspendsStartsOnly } = object;
  return wish.kind === 'hold' && suspend && isActive && suspendsStartsOnly === true;
}

/** Selected objects that the policy does not stop, with the reason. */
function leftAloneIn(wished: readonly Wished[]): SuspendPolicyStatus {
  const named = wished.flatMap((each) => {
    const why = goesOn(each) ? 'SchedulingOnly' : each.object.untouchable;
    const isLeft = why !== undefined && (goesOn(each) || each.standing === 'untouchable');
    return isLeft ? [`${nameOf(each.object)} (${why})`] : [];
  });
  return named.length === 0 ? {} : { leftAlone: named.slice(0, mostNamed) };
}

function runs(wish: Wished['wish']['kind'], { suspend }: SelectedObject): boolean {
  return wish === 'run' || wish === 'grace' || (wish === 'leave' && !suspend);
}

/** The next objects to start, by name. */
function plansOf(situation: Situation, outcome: Outcome): SuspendPolicyStatus {
  const waiting = outcome.wished.filter(
    ({ wish }) => wish.kind === 'hold' && wish.reason === 'CapacityFull',
  );
  // Objects that start now come first, and count if groups take turns.
  const starting = outcome.wished.filter(
    ({ wish, object }) => wish.kind === 'run' && !hasPlace(object),
  );
  const isWaiting = new Set(waiting.map(({ object }) => object.uid));
  const next = inStartingOrder(
    situation,
    [...waiting, ...starting].map(({ object }) => object),
    outcome.wished,
  ).filter(({ uid }) => isWaiting.has(uid));
  const planned = (kind: Action['kind']) =>
    outcome.actions.filter((action) => action.kind === kind).map(({ object }) => object);
  return {
    ...named('next', next),
    ...named('refused', outcome.refusals.pending),
    ...named(
      'unreadable',
      unreadableIn(outcome.wished).map(({ object }) => object),
    ),
    ...leftAloneIn(outcome.wished),
    ...(outcome.isDryRun ? named('wouldHold', planned('suspend')) : {}),
    ...(outcome.isDryRun ? named('wouldResume', planned('resume')) : {}),
  };
}

export function unreadableIn(wished: readonly Wished[]): readonly Wished[] {
  return wished.filter(({ unreadable }) => unreadable !== undefined);
}

function named(
  field: 'next' | 'refused' | 'unreadable' | 'wouldHold' | 'wouldResume',
  objects: readonly SelectedObject[],
): SuspendPolicyStatus {
  return objects.length === 0 ? {} : { [field]: objects.slice(0, mostNamed).map(nameOf) };
}

function findingsOf(situation: Situation, outcome: Outcome, counts: Counts): readonly Finding[] {
  const { conflicts, refusals, wished } = outcome;
  const { overridden } = counts;
  const waiting = heldFor(wished, 'CapacityFull').length;
  const full = waiting > 0;
  return [
    { type: 'Accepted', isTrue: true, reason: 'Valid', message: 'the policy is followed' },
    heldFinding(situation, outcome, counts.held),
    {
      type: 'CapacityFull',
      isTrue: full,
      reason: full ? 'Waiting' : 'Room',
      message: full ? `${waiting} wait for room` : 'nothing waits for room',
      onlyWhenKnown: true,
    },
    unschedulableFinding(situation, wished),
    {
      type: 'Conflicting',
      isTrue: conflicts.length > 0,
      reason: conflicts.length > 0 ? 'OtherPolicies' : 'Agreed',
      message:
        conflicts.length > 0
          ? conflictWords(situation, conflicts)
          : 'no other policy decides otherwise',
      onlyWhenKnown: true,
    },
    {
      type: 'ManualOverride',
      isTrue: overridden > 0,
      reason: overridden > 0 ? 'SetOtherwise' : 'Followed',
      message:
        overridden > 0
          ? `${overridden} set otherwise by hand or by annotation`
          : 'nothing is set otherwise',
      onlyWhenKnown: true,
    },
    { type: 'Refused', ...refusedFinding(situation, refusals), onlyWhenKnown: true },
    annotationsFinding(situation.policy.metadata, []),
  ];
}

function heldFor(wished: readonly Wished[], reason: HoldReason): readonly SelectedObject[] {
  return wished.flatMap(({ wish, object }) =>
    wish.kind === 'hold' && wish.reason === reason ? [object] : [],
  );
}

/** If it holds, its reason and message are also those of the status. */
function heldFinding(
  { state, ...situation }: Situation,
  { wished, isDryRun }: Outcome,
  held: number,
): Finding {
  const type = 'Held';
  if (held === 0) return { type, isTrue: false, reason: 'NothingHeld', message: 'nothing is held' };
  const heldOnes = isDryRun ? `dry run: ${held} would be held` : `${held} held`;
  if (state.opening === 'Closed') {
    const until = state.untilMs === undefined ? '' : ` until ${rfc3339(state.untilMs)}`;
    return { type, isTrue: true, reason: 'WindowClosed', message: `${heldOnes}${until}` };
  }
  const neverFit = heldFor(wished, 'Unschedulable');
  const isFull = heldFor(wished, 'CapacityFull').length > 0;
  const [first] = neverFit;
  const words = [
    heldOnes,
    ...(isFull ? ['there is no room for more'] : []),
    ...(first === undefined ? [] : [neverFitWords(situation, first, neverFit.length)]),
    ...(isFull || first !== undefined ? [] : ['an annotation says so']),
  ];
  const reason = isFull ? 'CapacityFull' : first === undefined ? 'Override' : 'Unschedulable';
  return { type, isTrue: true, reason, message: words.join('; ') };
}

function unschedulableFinding(situation: Situation, wished: readonly Wished[]): Finding {
  const neverFit = heldFor(wished, 'Unschedulable');
  const [first] = neverFit;
  return {
    type: 'Unschedulable',
    ...(first === undefined
      ? { isTrue: false, reason: 'Fits', message: 'each one fits into the whole capacity' }
      : {
          isTrue: true,
          reason: 'NeverFits',
          message: neverFitWords(situation, first, neverFit.length),
        }),
    onlyWhenKnown: true,
  };
}

function neverFitWords(
  situation: Pick<Situation, 'policy'>,
  first: SelectedObject,
  count: number,
): string {
  const others = count > 1 ? ` (and ${count - 1} more ask for too much)` : '';
  return `${shortageWords(situation, first)}${others}: it never starts; raise spec.capacity or let it ask for less`;
}

function conflictWords({ key, policy }: Situation, conflicts: readonly Conflict[]): string {
  const others = `other policies decide otherwise: ${listed(conflicts.map((each) => each.policy))}`;
  const outranking = conflicts.filter(({ decides }) => decides !== key);
  if (policy.spec.capacity === undefined || outranking.length === 0) return others;
  return `${others}; objects that another policy governs do not count in this capacity: give this policy the higher precedence`;
}

/** Of a policy under deletion: what it could not resume keeps it, and no time of its schedule counts any more. */
export function refusedStatus(
  { policy: { metadata, status = {} }, rejections }: SuspendSnapshot,
  nowMs: number,
): SuspendPolicyStatus {
  const [refusal] = rejections;
  if (refusal === undefined) return status;
  const { generation } = metadata;
  const { reason, message } = refusalWords(refusal);
  const stays = shortened(`it is being deleted, and the API server refuses to change ${message}`);
  const findings = [
    { type: 'Refused', isTrue: true, reason, message },
    { type: 'Held', isTrue: true, reason, message: stays },
  ];
  return {
    ...omit(status, 'nextTransition'),
    state: 'Terminating',
    conditions: withFindings(status.conditions ?? [], findings, { nowMs, generation }),
    reason,
    message: stays,
  };
}

function refusalWords({ code, name, message }: Rejection) {
  return { isTrue: true, reason: code, message: `${name}: ${message}` };
}

/** A refusal stays until the write succeeds, with its original message. */
function refusedFinding(
  { snapshot, status }: Situation,
  { pending }: Refusals,
): Pick<Finding, 'isTrue' | 'reason' | 'message'> {
  const [refusal] = snapshot.rejections;
  if (refusal !== undefined) return refusalWords(refusal);
  const known = status.conditions?.find(({ type }) => type === 'Refused');
  return pending.length > 0 && known?.status === 'True'
    ? { isTrue: true, reason: known.reason, message: known.message }
    : { isTrue: false, reason: 'Written', message: 'nothing was refused' };
}

function timeOf(
  field: 'lastTransition' | 'nextTransition',
  ms: number | undefined,
): SuspendPolicyStatus {
  return ms === undefined ? {} : { [field]: rfc3339(ms) };
}

/** Counts and names change with every object, so they are written at most once a second. */
const progressFields: ReadonlySet<string> = new Set([
  'selected',
  'running',
  'held',
  'terminating',
  'untouched',
  'leftAlone',
  'next',
  'conditions',
  'message',
]);

export function policyStatusWrite(
  before: SuspendPolicyStatus,
  after: SuspendPolicyStatus,
  nowMs: number,
  parts: number,
): StatusWrite {
  const written = { before: compared(before) as JsonObject, after: compared(after) as JsonObject };
  const pace = {
    lastUpdateTime: before.lastUpdateTime,
    noticesRemovals: true,
    parts,
    isUnderLoad: false,
  };
  return statusWrite(written, nowMs, (changes) => {
    const isProgress =
      Object.keys(changes).every((name) => progressFields.has(name)) &&
      jsonEqual(gistOf(before), gistOf(after));
    return isProgress ? progressDueAt(pace, nowMs) : 'now';
  });
}

const compared = comparedBy<SuspendPolicyStatus>(suspendPolicyStatusSchema);

/** Conditions without their messages. */
function gistOf({ conditions = [] }: SuspendPolicyStatus) {
  return conditions.map(({ type, status, reason }) => [type, status, reason]);
}
