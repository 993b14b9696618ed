/** Turns the wishes into writes on objects, the most urgent first. */
import type { HoldReason } from '#shared/domain/held-note.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { governedKind } from '#shared/api/work/governed-kinds.ts';
import { workloadWork } from '#shared/api/work/workload.ts';
import type { Stop } from '#shared/api/work/work-kind.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { freedMark, heldAnnotations } from '#shared/suspension/mark.ts';
import { type SelectedObject, writtenUid } from '../snapshot.ts';
import { heldNote } from './held-note.ts';
import { markOf, noAnnotations, noteOf } from './mark.ts';
import { inStartingOrder, inSuspendingOrder } from './order.ts';
import { placing, unplacing } from './placement.ts';
import type { Situation } from './situation.ts';
import type { Hold, Wish, Wished } from './wish.ts';
import { warningMs } from './wishes.ts';

export interface Action {
  readonly kind: 'suspend' | 'resume' | 'warn' | 'free' | 'note';
  readonly object: SelectedObject;
  readonly wish: Wish;
  readonly patch: PatchOperation;
  /** The API server has just refused the placement. */
  readonly isWithoutPlacement?: true;
}

export function actionsFor(situation: Situation, all: readonly Wished[]): readonly Action[] {
  const wanted = all.flatMap((each) => {
    const action = actionFor(situation, each);
    return [action, toTell(each, action)].filter((one) => one !== undefined);
  });
  const of = (kind: Action['kind']) => wanted.filter((action) => action.kind === kind);
  return [
    ...inOrderOf(of('suspend'), inSuspendingOrder),
    ...inOrderOf(of('resume'), (objects) => [
      ...objects.filter(({ isStarting }) => isStarting === true),
      ...inStartingOrder(
        situation,
        objects.filter(({ isStarting }) => isStarting !== true),
        all,
      ),
    ]),
    ...of('warn'),
    ...of('free'),
    ...of('note'),
  ];
}

function inOrderOf(
  actions: readonly Action[],
  order: (objects: readonly SelectedObject[]) => readonly SelectedObject[],
): readonly Action[] {
  const byUid = new Map(actions.map((action) => [action.object.uid, action]));
  return order(actions.map(({ object }) => object)).flatMap(({ uid }) => byUid.get(uid) ?? []);
}

function actionFor(situation: Situation, wished: Wished): Action | undefined {
  const { object, standing, wish } = wished;
  switch (wish.kind) {
    case 'leave':
      return standing === 'resumedByHand' || object.isSetOtherwise === true
        ? toFree(object, wish)
        : undefined;
    case 'run':
      return toRun(situation, object, wish);
    case 'grace':
      return toWarn(situation, object, wish);
    case 'hold':
      return toHold(situation, object, wish);
  }
}

/** Users look at their Job and not at its Workload, so the note is copied to the Job. */
function toTell({ object, wish }: Wished, action: Action | undefined): Action | undefined {
  const { kind, namespace, name, uid, workload, told, held } = object;
  if (workload === undefined) return undefined;
  const own = fieldsOf(fieldsOf(action?.patch.patch['metadata'])['annotations']);
  const note = own[annotations.held] === undefined ? (held ?? null) : own[annotations.held];
  if (note === (told ?? null)) return undefined;
  const patch = { metadata: { annotations: { [annotations.held]: note } } };
  const at = { resource: governedKind(kind).resource, target: { namespace, name }, uid };
  return { kind: 'note', object, wish, patch: { kind: 'patch', ...at, patch } };
}

/**
 * An object that a user resumed or set otherwise is not held any more. Its mark says until when it is left alone, and
 * that a later suspension is the user's own.
 */
function toFree(object: SelectedObject, wish: Wish): Action | undefined {
  if (object.held === undefined) return undefined;
  const mark = object.suspend ? undefined : markOf(object);
  const freed = mark === undefined ? {} : { [annotations.suspendedBy]: freedMark(mark) };
  const patch = { metadata: { annotations: { [annotations.held]: null, ...freed } } };
  const { resourceVersion } = object;
  // If a policy has suspended the object since, this mark would keep it suspended for ever.
  return { kind: 'free', object, wish, patch: { ...patchOf(object, patch), resourceVersion } };
}

/** Removes the notes of an object that stays suspended without its policy. */
export function unnoting(object: SelectedObject): readonly PatchOperation[] {
  const wish = { kind: 'leave' } as const;
  const freed = toFree(object, wish);
  const told = toTell({ object, standing: 'held', wish }, freed);
  return [freed, told].flatMap((action) => action?.patch ?? []);
}

/** Removes an outdated mark and note. Whether the object runs stays as it is. */
export function unmarking(object: SelectedObject): PatchOperation {
  const { resourceVersion } = object;
  const patch = { metadata: { annotations: noAnnotations } };
  // Another policy may have marked the object since.
  return { ...patchOf(object, patch), resourceVersion };
}

/** A running object loses its mark, because a transition has passed since. */
function toRun(situation: Situation, object: SelectedObject, wish: Wish): Action | undefined {
  if (object.suspend) {
    const isRefused = situation.refused.has(writtenUid(object));
    const place = isRefused ? undefined : placing(placementOf(situation), object);
    const resumedBy = markOf(object)?.policy ?? 'adopted';
    const own = { ...noAnnotations, [annotations.resumedBy]: resumedBy, ...place?.annotations };
    const template = place === undefined ? {} : { template: place.template };
    const started = writtenKind(object).suspension.specWith('nothing');
    const patch = { metadata: { annotations: own }, spec: { ...started, ...template } };
    const { resourceVersion } = object;
    // A user may have resumed and suspended it again meanwhile. Then the policy must not resume it.
    return {
      ...{ kind: 'resume', object, wish },
      patch: { ...patchOf(object, patch), resourceVersion },
      ...(isRefused && placing(placementOf(situation), object) !== undefined
        ? { isWithoutPlacement: true as const }
        : {}),
    };
  }
  if (object.mark === undefined && object.held === undefined) return undefined;
  const patch = { metadata: { annotations: noAnnotations } };
  return { kind: 'note', object, wish, patch: patchOf(object, patch) };
}

function toHold(situation: Situation, object: SelectedObject, wish: Hold): Action | undefined {
  const note = heldNote(situation, object, wish);
  const { letsFinish, asRead, specWith } = writtenKind(object).suspension;
  const stop = stopFor(object, wish);
  const { uid } = situation.policy.metadata;
  const own = heldAnnotations(uid, situation.period, note, letsFinish === true ? stop : undefined);
  const { resourceVersion } = object;
  if (stop !== stopOf(object)) {
    const patch = patchOf(object, { metadata: { annotations: own }, spec: specWith(stop) });
    const version = asRead === true ? { resourceVersion } : {};
    // If the policy is gone by now, nothing would ever resume the object.
    return { kind: 'suspend', object, wish, patch: { ...patch, ...version, isFinal: true } };
  }
  // The API server accepts the change only when no Pod is left.
  const back = object.isActive ? undefined : unplacing(object);
  const isNoted = isNotedAlready(situation, object, wish.reason, note.until);
  if (isNoted && back === undefined) return undefined;
  const patch = {
    metadata: { annotations: { ...(isNoted ? {} : own), ...back?.annotations } },
    ...(back === undefined ? {} : { spec: { template: back.template } }),
  };
  // If a user has resumed the object since, the mark would look as if it had been there before.
  return { kind: 'note', object, wish, patch: { ...patchOf(object, patch), resourceVersion } };
}

function writtenKind({ kind, workload }: SelectedObject) {
  return workload === undefined ? governedKind(kind) : workloadWork;
}

function stopOf({ suspend, letsFinish }: SelectedObject): Stop {
  if (!suspend) return 'nothing';
  return letsFinish === true ? 'starts' : 'everything';
}

/** An object that is stopped already is not started again to finish. */
function stopFor(object: SelectedObject, wish: Hold): Stop {
  const mayFinish = wish.letsFinishUntilMs !== undefined && stopOf(object) !== 'everything';
  return mayFinish ? 'starts' : 'everything';
}

/** The place in the queue changes with every other object, so a new place alone causes no write. */
function isNotedAlready(
  { key, policy }: Situation,
  object: SelectedObject,
  reason: HoldReason,
  until: string | undefined,
): boolean {
  const known = noteOf(object);
  return (
    known.isUntold !== true &&
    markOf(object)?.policy === policy.metadata.uid &&
    known.policy === key &&
    known.reason === reason &&
    known.until === until
  );
}

/** The warning is written on the object before it is suspended, with `suspends` instead of `since`. */
function toWarn(
  situation: Situation,
  object: SelectedObject,
  wish: Extract<Wish, { kind: 'grace' }>,
): Action | undefined {
  const dueMs = warningMs(situation, wish.untilMs);
  if (dueMs === undefined || dueMs > situation.nowMs) return undefined;
  const held = JSON.stringify({ policy: situation.key, suspends: rfc3339(wish.untilMs) });
  if (object.held === held) return undefined;
  const patch = { metadata: { annotations: { [annotations.held]: held } } };
  return { kind: 'warn', object, wish, patch: patchOf(object, patch) };
}

function placementOf({ policy }: Situation) {
  return policy.spec.onResume?.placement;
}

function patchOf(object: SelectedObject, patch: JsonObject): PatchOperation {
  const { namespace, name, workload } = object;
  const target = { namespace, name: workload?.name ?? name };
  const { resource } = writtenKind(object);
  return { kind: 'patch', resource, target, uid: writtenUid(object), patch };
}
