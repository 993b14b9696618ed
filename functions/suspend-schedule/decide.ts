/**
 * Decides what a suspend policy does now. Pure: the same snapshot and time give the same bytes.
 *
 * suspend-1 Level-triggered: the current time alone decides whether work may run. After an outage during a transition
 *    the current state is established, and nothing else.
 * suspend-2 Only objects with a mark are resumed, and those that were submitted suspended if `adopt` includes them. A
 *    user's own suspension is left to the user.
 * suspend-3 An object that a user resumes by hand is left alone until the next transition.
 * suspend-4 One policy decides about an object, and the others leave it alone.
 * suspend-5 The state is on the objects themselves: nothing else is needed to resume them.
 * suspend-6 An object that a policy holds but no longer selects is resumed, unless another policy selects it.
 * suspend-7 With a capacity, a resumption is recorded before it happens, bound to the policy's version. So an outdated
 *    view never gives capacity away twice.
 */
import { suspendPolicyDefaults, type SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import { suspendPolicyFaults } from '#shared/api/suspend-policy-rules.ts';
import type { Decide, Decision, Reason } from '#shared/domain/decision.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Plan } from '#shared/domain/plan.ts';
import { decision, patchStatus } from '#shared/parents/conclude.ts';
import {
  policyResourceOf,
  type SelectedObject,
  type SuspendSnapshot,
  writtenUid,
} from './snapshot.ts';
import { type Action, actionsFor, unmarking, unnoting } from './decide/actions.ts';
import { mayGiveWayMs } from './decide/admit.ts';
import { authorityOver } from './decide/authority.ts';
import {
  acceptedEvents,
  eventsOf,
  refusalEvents,
  remarkEvents,
  transitionEvent,
  invalidEvent,
  unreadableEvents,
} from './decide/events.ts';
import { finalizerPatch, hasFinalizer } from './decide/finalizer.ts';
import { unseenUntilMs } from './decide/let-in.ts';
import { resumptionsIn } from './decide/last-resumed.ts';
import { isHeldAsMarked, markOf } from './decide/mark.ts';
import { refusalsOf } from './decide/refusals.ts';
import { openSituation, type Situation } from './decide/situation.ts';
import { governed, type Governed } from './decide/standing.ts';
import {
  type Conflict,
  followedStatus,
  invalidStatus,
  policyStatusWrite,
  refusedStatus,
  unreadableIn,
} from './decide/status.ts';
import type { Wished } from './decide/wish.ts';
import { warningMs, wishesFor } from './decide/wishes.ts';

/** Limit for writes on objects in one decision, so that the status shows progress in between. */
const mostActions = 128;
/** Pause before a refused write is tried again, milliseconds. */
const refusedRetryMs = 60_000;

export const decide: Decide<SuspendSnapshot> = (snapshot, input) => {
  const { policy } = snapshot;
  const faults = suspendPolicyFaults(policy.spec);
  if (policy.metadata.deletionTimestamp !== undefined) {
    return whileTerminating(snapshot, input.nowMs, faults.length === 0);
  }
  const [fault] = faults;
  if (fault !== undefined) return refuse(snapshot, `${fault.path}: ${fault.message}`, input.nowMs);
  if (!hasFinalizer(policy)) {
    return { plan: [[finalizerPatch(policy, true)]], reasons: [], requeueAtMs: input.nowMs };
  }
  return follow(openSituation(snapshot, input));
};

function follow(situation: Situation): Decision {
  const { policy, snapshot, nowMs } = situation;
  const { mine, conflicts } = divide(situation);
  const wished = wishesFor(situation, mine);
  const isDryRun = policy.spec.dryRun ?? suspendPolicyDefaults.dryRun;
  const unselected = released(situation);
  const actions = actionsFor(situation, [...wished, ...unselected]);
  const due = actions.filter(
    ({ object, isWithoutPlacement }) =>
      isWithoutPlacement === true || !situation.refused.has(writtenUid(object)),
  );
  const hasRefused = situation.refused.size > 0;
  // After a refusal the rest waits for the next decision, except resumptions that have to do without a placement.
  const rest = hasRefused
    ? due.filter(({ isWithoutPlacement }) => isWithoutPlacement === true)
    : due;
  const now = isDryRun ? [] : rest.slice(0, mostActions);
  const refusals = refusalsOf(situation, wished, isDryRun ? [] : actions);
  const resumptions = resumptionsIn(situation, now);
  const outcome = { wished, conflicts, actions, refusals, resumptions, isDryRun };
  const status = followedStatus(situation, outcome);
  const next = [
    situation.state.untilMs,
    // When another policy opens or closes, the authority over an object may change.
    ...situation.rivals.map(({ untilMs }) => untilMs),
    ...[...wished, ...unselected].map((each) => nextLookMs(situation, each)),
    unseenUntilMs(situation, waitingForRoom(wished)),
    !isDryRun && due.length > now.length ? nowMs : undefined,
    hasRefused ? nowMs + refusedRetryMs : undefined,
  ];
  // Events come before their writes: once an object is suspended, its suspension is not announced again.
  const announced = eventsOf(situation, now);
  const otherEvents = [
    ...refusalEvents(situation, actions),
    ...acceptedEvents(situation, refusals.accepted),
    ...unreadableEvents(situation, unreadableIn(wished)),
    ...remarkEvents(situation, status),
  ];
  const done = now.map(({ patch }) => patch);
  const transition = transitionEvent(situation, situation.status);
  return concluded(snapshot, status, nowMs, {
    ...(resumptions.isNew
      ? { before: [otherEvents, transition], after: [announced, done] }
      : { before: [[...announced, ...otherEvents], done, transition], after: [] }),
    dueMs: next,
    reasons: reasonsOf(situation, now),
  });
}

/** The objects that this policy decides about, and the conflicts with other policies. */
function divide(situation: Situation): {
  readonly mine: readonly Governed[];
  readonly conflicts: readonly Conflict[];
} {
  const mine: Governed[] = [];
  const counts = new Map<string, Conflict>();
  for (const object of situation.snapshot.objects) {
    if (object.isSelected === false) continue;
    const { decides, disagree } = authorityOver(situation, object);
    if (decides === situation.key) mine.push(governed(situation, object));
    for (const policy of disagree) {
      const known = counts.get(`${policy} ${decides}`);
      counts.set(`${policy} ${decides}`, { policy, decides, objects: (known?.objects ?? 0) + 1 });
    }
  }
  return { mine, conflicts: [...counts.values()] };
}

/** Objects that it holds but no longer selects, unless another policy selects them. An override may hold them longer. */
function released(situation: Situation): readonly Wished[] {
  return situation.snapshot.objects
    .filter(({ isSelected, rivals = [] }) => isSelected === false && rivals.length === 0)
    .map((object) => governed(situation, object))
    .filter(({ standing }) => standing === 'held')
    .map((each) => ({
      ...each,
      wish: { kind: each.override?.wants === 'Hold' ? 'leave' : 'run' },
    }));
}

function waitingForRoom(wished: readonly Wished[]) {
  return wished.flatMap(({ wish, object }) =>
    wish.kind === 'hold' && wish.reason === 'CapacityFull' && object.suspend ? [object] : [],
  );
}

/** When the wish for the object may change without an event. */
function nextLookMs(situation: Situation, each: Wished): number | undefined {
  const { nowMs } = situation;
  const { wish, override, object } = each;
  const times = [override?.untilMs];
  if (wish.kind === 'grace' && Number.isFinite(wish.untilMs)) {
    times.push(wish.untilMs, warningMs(situation, wish.untilMs));
  }
  if (wish.kind === 'hold') times.push(wish.letsFinishUntilMs);
  if (wish.kind === 'run') times.push(mayGiveWayMs(situation, object));
  const ahead = times.filter((time) => time !== undefined && time > nowMs && Number.isFinite(time));
  return ahead.length === 0 ? undefined : Math.min(...(ahead as number[]));
}

/**
 * Resumes what it holds, unless that has to stay or another policy takes it over. Then the policy may go, and not
 * before: nothing else would resume what the API server refuses to resume now. An object that a user resumed loses its
 * mark: otherwise a later suspension by hand would count as the policy's. An object that stays suspended loses its note.
 */
function whileTerminating(snapshot: SuspendSnapshot, nowMs: number, isValid: boolean): Decision {
  const { policy } = snapshot;
  const { uid } = policy.metadata;
  if (!hasFinalizer(policy)) return { plan: [], reasons: [] };
  const isRestoring = (policy.spec.onDelete ?? suspendPolicyDefaults.onDelete) === 'Restore';
  const situation = isValid ? openSituation(snapshot, { nowMs }) : undefined;
  const refused = new Set(snapshot.rejections.map((rejection) => rejection.uid));
  const isRefused = (object: SelectedObject): boolean => refused.has(writtenUid(object));
  const marked = snapshot.objects.filter((object) => markOf(object)?.policy === uid);
  const held = marked.filter(isHeldAsMarked);
  const left = isRestoring ? held.filter((object) => !isTakenOver(situation, object)) : [];
  const letGo = marked.filter((object) => !isHeldAsMarked(object) && !isRefused(object));
  // The note promises an end. Another policy that selects the object writes its own.
  const staying = isRestoring ? [] : held.filter(({ rivals = [] }) => rivals.length === 0);
  const outdated = staying.flatMap(unnoting).filter(({ uid: noted }) => !refused.has(noted));
  if (left.length + letGo.length + outdated.length === 0) {
    const reasons = [{ code: 'PolicyDeleted', message: 'nothing is held by it any more' }];
    return { plan: [[finalizerPatch(policy, false)]], reasons };
  }
  const run = { kind: 'run' } as const;
  const wished = left.map((object): Wished => ({ object, standing: 'held', wish: run }));
  const leaving = openSituation(withoutSchedule(snapshot), { nowMs });
  const actions = actionsFor(leaving, wished);
  const due = actions.filter(
    ({ object, isWithoutPlacement }) => isWithoutPlacement === true || !isRefused(object),
  );
  const all = [...due.map(({ patch }) => patch), ...letGo.map(unmarking), ...outdated];
  const writes = all.slice(0, mostActions);
  return concluded(snapshot, refusedStatus(snapshot, nowMs), nowMs, {
    before: [refusalEvents(leaving, actions), writes],
    after: [],
    dueMs: [writes.length > 0 ? nowMs : nowMs + refusedRetryMs],
    reasons: [{ code: 'PolicyDeleted', message: `${left.length} are resumed` }],
  });
}

/** A faulty schedule cannot be evaluated. */
function withoutSchedule(snapshot: SuspendSnapshot): SuspendSnapshot {
  const { policy } = snapshot;
  return { ...snapshot, policy: { ...policy, spec: omit(policy.spec, 'schedule') } };
}

/** Another policy that is closed selects the object, and will write its own mark. */
function isTakenOver(
  situation: Situation | undefined,
  object: SuspendSnapshot['objects'][number],
): boolean {
  return (object.rivals ?? []).some((index) => situation?.rivals[index]?.opening === 'Closed');
}

function refuse(snapshot: SuspendSnapshot, message: string, nowMs: number): Decision {
  const { policy } = snapshot;
  const { status = {}, metadata } = policy;
  return concluded(snapshot, invalidStatus({ status, metadata }, message, nowMs), nowMs, {
    before: [invalidEvent(policy, message)],
    after: [],
    dueMs: [],
    reasons: [{ code: 'InvalidSpec', message }],
  });
}

interface Conclusion {
  /** Before the status. */
  readonly before: Plan;
  readonly after: Plan;
  readonly dueMs: readonly (number | undefined)[];
  readonly reasons: readonly Reason[];
}

function concluded(
  { policy, objects }: SuspendSnapshot,
  status: SuspendPolicyStatus,
  nowMs: number,
  { before, after, dueMs, reasons }: Conclusion,
): Decision {
  const write = policyStatusWrite(policy.status ?? {}, status, nowMs, objects.length);
  const { patch } = write;
  const written =
    patch === undefined ? [] : [[patchStatus(policy, policyResourceOf(policy), patch)]];
  return decision([...before, ...written, ...after], reasons, [...dueMs, write.dueMs]);
}

function reasonsOf({ key, state }: Situation, actions: readonly Action[]): readonly Reason[] {
  const count = (kind: Action['kind']) => actions.filter((action) => action.kind === kind).length;
  const fields = { suspended: count('suspend'), resumed: count('resume') };
  return [{ code: state.opening, message: `${key} is ${state.opening.toLowerCase()}`, fields }];
}
