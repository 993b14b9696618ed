/**
 * Kubernetes Events: one on each object that is suspended, warned or resumed by hand, one on the policy for
 * each transition. That of a suspension comes before it and says what is under way, as that of the kubelet does
 * which stops a container; where it is refused, another one says so.
 */
import { apiVersionOf } from '#shared/domain/objects.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import type { SelectedObject } from '../snapshot.ts';
import type { Action } from './actions.ts';
import type { Situation } from './situation.ts';

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
    const told = wordsOf(situation, action);
    return told === undefined ? [] : [eventOn(action.object, told)];
  });
}

/** What was announced and the API server did not take. */
export function refusalEvents(
  { key, period, snapshot }: Situation,
  actions: readonly Action[],
): readonly EmitEventOperation[] {
  const messages = new Map(snapshot.rejections.map(({ uid, message }) => [uid, message]));
  return actions.flatMap(({ kind, object }) => {
    const message = messages.get(object.uid);
    if (kind !== 'suspend' || message === undefined) return [];
    const note = `not suspended yet, ${key} tries again: the API server refused it: ${message}`;
    const occurrence = `${key}-${period}`;
    return [eventOn(object, { type: 'Warning', reason: 'SuspensionRefused', note, occurrence })];
  });
}

function eventOn({ kind, namespace, name, uid }: SelectedObject, told: Words): EmitEventOperation {
  const regarding = { namespace, name, uid, kind, apiVersion: apiVersionOf(resources[kind]) };
  return { kind: 'emitEvent', regarding, action: 'Suspend', ...told };
}

type Words = Pick<EmitEventOperation, 'type' | 'reason' | 'note' | 'occurrence'>;

function wordsOf(situation: Situation, action: Action): Words | undefined {
  const { kind, wish } = action;
  const { key, period, state } = situation;
  const occurrence = `${key}-${period}`;
  if (kind === 'suspend' && wish.kind === 'hold') {
    const until = wish.reason === 'WindowClosed' ? untilOf(state.untilMs) : '';
    const note = `suspending: ${key} ${because[wish.reason]}${until}`;
    return { type: 'Normal', reason: 'HeldByPolicy', note, occurrence };
  }
  if (kind === 'warn' && wish.kind === 'grace') {
    const note = `${key} is closed; this is suspended at ${rfc3339(wish.untilMs)}`;
    return { type: 'Warning', reason: 'SuspendsSoon', note, occurrence };
  }
  if (kind === 'free') {
    const note = `somebody has resumed it: ${key} leaves it alone${untilOf(state.untilMs)}`;
    return { type: 'Normal', reason: 'ManualOverride', note, occurrence };
  }
  if (action.isWithoutPlacement === true) {
    const note = `resumed where it may run by itself: the API server does not take the placement of ${key} for it any more`;
    // Once for each object, however often it is resumed.
    return { type: 'Warning', reason: 'PlacementRefused', note, occurrence: key };
  }
  return undefined;
}

function untilOf(ms: number | undefined): string {
  return ms === undefined ? '' : ` until ${rfc3339(ms)}`;
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
