/**
 * Kubernetes Events: one on each object that is suspended, warned or resumed by hand, and one on the policy for each
 * transition. The Event of a suspension comes before the write and says what is under way, like that of a kubelet that
 * stops a container. If the write is refused, a second Event says so, and a third one once it is accepted. A CronJob
 * gets an Event for its run, too, because it may skip its next runs.
 */
import { governedKind } from '#shared/api/work/governed-kinds.ts';
import { starterOfJobs } from '#shared/api/work/job.ts';
import { emitted, onCondition } from '#shared/domain/announcements.ts';
import { apiVersionOf } from '#shared/domain/objects.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import { mostNamed } from '#shared/api/suspend-policy-status.ts';
import { nameOf } from '../name-of.ts';
import { type SelectedObject, type SuspendSnapshot, writtenUid } from '../snapshot.ts';
import type { Action } from './actions.ts';
import { holdEndMs } from './held-note.ts';
import { noteOf } from './mark.ts';
import { shortageWords } from './shortage.ts';
import type { Situation } from './situation.ts';
import type { Wished } from './wish.ts';

const because = {
  WindowClosed: 'is closed',
  CapacityFull: 'has no room for it',
  Unschedulable: 'never has so much room',
  Override: 'is overridden by an annotation',
} as const;

export function eventsOf(
  situation: Situation,
  actions: readonly Action[],
): readonly EmitEventOperation[] {
  return actions.flatMap((action) => {
    const words = wordsOf(situation, action);
    if (words === undefined) return [];
    return [eventOn(action.object, words), ...cronJobEvent(situation, action)];
  });
}

function cronJobEvent({ key, period }: Situation, action: Action): readonly EmitEventOperation[] {
  const { kind, object } = action;
  const { cronJob, namespace, name } = object;
  if (cronJob === undefined) return [];
  if (kind !== 'suspend' && !isHeldFromTheStart(action)) return [];
  const done =
    kind === 'suspend' ? `suspending its Job ${name}` : `its Job ${name} was created suspended`;
  return [
    {
      kind: 'emitEvent',
      regarding: { ...cronJob, ...starterOfJobs, namespace },
      type: 'Normal',
      reason: 'HeldByPolicy',
      action: 'Suspend',
      note: `${done}: ${key} holds it; with concurrencyPolicy Forbid no other run starts until it has ended`,
      occurrence: `${key}-${period}-${name}-${object.generation}`,
    },
  ];
}

const refusedActions: Partial<
  Record<Action['kind'], { readonly reason: string; readonly not: string }>
> = {
  suspend: { reason: 'SuspensionRefused', not: 'not suspended yet' },
  resume: { reason: 'ResumptionRefused', not: 'not resumed yet' },
};

/** Suspensions and resumptions that the API server refused. A refused placement is reported otherwise. */
export function refusalEvents(
  { key, period, snapshot }: Situation,
  actions: readonly Action[],
): readonly EmitEventOperation[] {
  const messages = new Map(snapshot.rejections.map(({ uid, message }) => [uid, message]));
  return actions.flatMap(({ kind, object, isWithoutPlacement }) => {
    const message = messages.get(writtenUid(object));
    const refused = refusedActions[kind];
    if (refused === undefined || message === undefined || isWithoutPlacement === true) return [];
    const { reason, not } = refused;
    const note = `${not}, ${key} tries again: the API server refused it: ${message}`;
    const occurrence = suspensionOf(key, period, object);
    return [eventOn(object, { type: 'Warning', reason, note, occurrence })];
  });
}

/** Suspensions that the API server accepted after a refusal. */
export function acceptedEvents(
  { key, period }: Situation,
  accepted: readonly SelectedObject[],
): readonly EmitEventOperation[] {
  const note = `suspended: the API server accepts now what it refused before; ${key} holds it`;
  return accepted.map((object) => {
    const occurrence = suspensionOf(key, period, object);
    return eventOn(object, { type: 'Normal', reason: 'SuspensionAccepted', note, occurrence });
  });
}

/** Once for each object while the status names it. */
export function unreadableEvents(
  { key, status }: Situation,
  wished: readonly Wished[],
): readonly EmitEventOperation[] {
  const known = new Set(status.unreadable);
  return wished.slice(0, mostNamed).flatMap(({ object, unreadable }) => {
    if (unreadable === undefined || known.has(nameOf(object))) return [];
    const { reason, message: note } = unreadable;
    const occurrence = `${key}-${object.generation}-${object.override ?? note}`;
    return [eventOn(object, { type: 'Warning', reason, note, occurrence })];
  });
}

/** Repeated after a crash it stays the same. The next suspension of the object in the same period has another one. */
function suspensionOf(key: string, period: string, { generation }: SelectedObject): string {
  return `${key}-${period}-${generation}`;
}

function eventOn({ kind, namespace, name, uid }: SelectedObject, words: Words): EmitEventOperation {
  const regarding = {
    namespace,
    name,
    uid,
    kind,
    apiVersion: apiVersionOf(governedKind(kind).resource),
  };
  return { kind: 'emitEvent', regarding, action: 'Suspend', ...words };
}

type Words = Pick<EmitEventOperation, 'type' | 'reason' | 'note' | 'occurrence'>;

function wordsOf(situation: Situation, action: Action): Words | undefined {
  const { kind, wish } = action;
  const { key, period, state } = situation;
  const occurrence = `${key}-${period}`;
  if (kind === 'suspend' && wish.kind === 'hold') {
    const until = untilOf(holdEndMs(situation, wish));
    const finishing =
      wish.letsFinishUntilMs === undefined ? '' : finishingWords(wish.letsFinishUntilMs);
    const shortage =
      wish.reason === 'Unschedulable' ? `: ${shortageWords(situation, action.object)}` : '';
    const note = `suspending: ${key} ${because[wish.reason]}${shortage}${until}${finishing}`;
    const suspension = suspensionOf(key, period, action.object);
    return { type: 'Normal', reason: 'HeldByPolicy', note, occurrence: suspension };
  }
  if (kind === 'note' && wish.kind === 'hold' && wish.reason === 'Unschedulable') {
    const note = `${key} holds it and never starts it: ${shortageWords(situation, action.object)}; raise spec.capacity or let it ask for less`;
    const noted = suspensionOf(key, period, action.object);
    return { type: 'Warning', reason: 'NeverFits', note, occurrence: noted };
  }
  if (isHeldFromTheStart(action) && wish.kind === 'hold') {
    const until = untilOf(holdEndMs(situation, wish));
    const note = `created suspended: ${key} ${because[wish.reason]}${until}`;
    const suspension = suspensionOf(key, period, action.object);
    return { type: 'Normal', reason: 'HeldByPolicy', note, occurrence: suspension };
  }
  if (kind === 'warn' && wish.kind === 'grace') {
    const note = `${key} is closed; this is suspended at ${rfc3339(wish.untilMs)}`;
    return { type: 'Warning', reason: 'SuspendsSoon', note, occurrence };
  }
  if (kind === 'free') {
    const how = action.object.suspend ? 'suspended it' : 'resumed it';
    const note = `a user or another controller ${how}: ${key} leaves it alone${untilOf(state.untilMs)}`;
    return { type: 'Normal', reason: 'ManualOverride', note, occurrence };
  }
  if (action.isWithoutPlacement === true) {
    const note = `resumed with its own placement: the API server no longer accepts the placement of ${key}`;
    // Once for each object, however often it is resumed.
    return { type: 'Warning', reason: 'PlacementRefused', note, occurrence: key };
  }
  return undefined;
}

/** Admission suspended the object, and admission writes no Events. The note is updated together with this Event. */
function isHeldFromTheStart({ kind, object }: Action): boolean {
  return kind === 'note' && object.suspend && noteOf(object).isUntold === true;
}

function finishingWords(untilMs: number): string {
  return `; running work continues${Number.isFinite(untilMs) ? untilOf(untilMs) : ''}`;
}

function untilOf(ms: number | undefined): string {
  return ms === undefined ? '' : ` until ${rfc3339(ms)}`;
}

/** Once for each fault, because no selected object shows it. */
export function invalidEvent(
  { apiVersion, kind, metadata, status }: SuspendSnapshot['policy'],
  message: string,
): readonly EmitEventOperation[] {
  if (status?.state === 'Invalid' && status.message === message) return [];
  const { name, namespace = '', uid, generation = 0 } = metadata;
  return [
    {
      kind: 'emitEvent',
      regarding: { namespace, name, apiVersion, kind, uid },
      type: 'Warning',
      reason: 'InvalidSpec',
      action: 'Validate',
      note: `nothing is suspended or resumed by this policy until it is corrected: ${message}`,
      occurrence: `generation-${generation}`,
    },
  ];
}

/** Conditions of the policy that no selected object shows. Reported each time they become true. */
const remarks = ['Conflicting', 'UnknownAnnotation'] as const;

export function remarkEvents(
  { policy, status: before }: Situation,
  after: SuspendPolicyStatus,
): readonly EmitEventOperation[] {
  const remarked = remarks.flatMap((type) =>
    onCondition({ before, after }, type, 'True', 'Warning', 'Follow'),
  );
  return emitted(policy, remarked);
}

export function transitionEvent(
  { policy, key, state, period }: Situation,
  before: SuspendPolicyStatus,
): readonly EmitEventOperation[] {
  if (before.state === state.opening || before.state === undefined) return [];
  const { apiVersion, kind, metadata } = policy;
  const { name, namespace = '', uid } = metadata;
  const isOpen = state.opening === 'Open';
  return [
    {
      kind: 'emitEvent',
      regarding: { namespace, name, apiVersion, kind, uid },
      type: 'Normal',
      reason: isOpen ? 'WindowOpened' : 'WindowClosed',
      action: isOpen ? 'Open' : 'Close',
      note: `${key} is ${isOpen ? 'open' : 'closed'}${untilOf(state.untilMs)}`,
      occurrence: period,
    },
  ];
}
