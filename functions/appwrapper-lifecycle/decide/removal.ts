/**
 * Removes what a wrapper has deployed. Quota is returned only when nothing of it is left.
 *
 * Each component is deleted in the foreground, so it stays until the Pods that it controls are gone. What is left after
 * the grace is deleted by force, Pods first. Finalizers of other controllers are never removed. What prevents the
 * deletion is reported by the condition DeletingResources and by an Event.
 */
import type { Decision } from '#shared/domain/decision.ts';
import { objectName } from '#shared/domain/objects.ts';
import type { DeleteOperation, Stage } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { resources } from '#shared/domain/resources.ts';
import { listed } from '#shared/domain/wording.ts';
import type { ObservedPod } from '../snapshot.ts';
import { deleted } from './component-states.ts';
import { type Around, event, found, moved, notYet, type Change } from './outcome.ts';
import { conditionOf, holds, type Part, sinceMs, type Situation, wordsOf } from './situation.ts';
import { againMs, isHidden, whyUnreadable } from './unreadable.ts';

/** Code of a decision that assumes everything is gone. The API server is then asked for Pods once more. */
export const goneCode = 'ResourcesGone';

export const deletionBegins = found(
  'DeletingResources',
  true,
  'DeletionInitiated',
  'the resources are being deleted',
);

/** Deletes until nothing is left. `then` is the change of the status after that. */
export function remove(situation: Situation, then: Change, requeueAtMs?: number): Decision {
  const { parts, snapshot, nowMs } = situation;
  const [refusal] = snapshot.rejections;
  if (refusal !== undefined) return refused(situation, refusal);
  const left = parts.filter(({ observed }) => observed.object !== undefined);
  const hidden = parts.find(isHidden);
  if (hidden !== undefined) return unreadable(situation, hidden, left);
  if (left.length === 0 && snapshot.pods.length === 0) {
    const done = found('DeletingResources', false, 'DeletionComplete', 'all resources are gone');
    const components = parts.map((part) => deleted(situation, part));
    const change = { ...then, components, news: [done, ...(then.news ?? [])] };
    const around = requeueAtMs === undefined ? {} : { requeueAtMs };
    return moved(situation, goneCode, 'all resources are gone', change, around);
  }
  const dueMs =
    sinceMs(situation, 'DeletingResources') + situation.settings.forcefulDeletionGraceMs;
  const isDue = holds(situation, 'DeletingResources') && nowMs >= dueMs;
  const message = leftWords(left, snapshot.pods);
  const deletes = isDue ? byForce(situation, left) : gently(situation, left);
  if (!holds(situation, 'DeletingResources')) {
    const before = [deletes];
    return moved(situation, 'Deleting', message, { news: [deletionBegins] }, { before });
  }
  if (isDue) return forced(situation, left, deletes, message);
  const waits = notYet('Deleting', message, Math.min(dueMs, lookAgainMs(situation, left)));
  return { ...waits, plan: deletes.length === 0 ? [] : [deletes] };
}

/** The other deletions of the plan were carried out. */
function refused(situation: Situation, { name, uid, message }: Rejection): Decision {
  const part = situation.parts.find(({ observed }) => observed.object?.uid === uid);
  const what = part === undefined ? `Pod ${name}` : wordsOf(part);
  const words = `${what} cannot be deleted: ${message}; allow it, or delete it yourself`;
  const requeueAtMs = situation.nowMs + againMs;
  return hindered(situation, 'DeletionRefused', words, { requeueAtMs });
}

/** Deletes the rest. Quota is not returned while a component may still be there. */
function unreadable(situation: Situation, hidden: Part, left: readonly Part[]): Decision {
  const words = `${wordsOf(hidden)} may be left: ${whyUnreadable(hidden)}`;
  const before = [gently(situation, left)];
  const requeueAtMs = situation.nowMs + againMs;
  return hindered(situation, 'UnreadableComponent', words, { before, requeueAtMs });
}

/** The wait doubles from this value on, milliseconds. */
const leastWaitMs = 1_000;

/** The end of a Pod is reported by its component. Nothing reports it when only Pods are left, in truth or in a view. */
function lookAgainMs(situation: Situation, left: readonly Part[]): number {
  if (left.length > 0) return Infinity;
  const { nowMs } = situation;
  return nowMs + Math.max(leastWaitMs, nowMs - sinceMs(situation, 'DeletingResources'));
}

/** Reports what is left and which finalizers keep it, because only their owners can remove them. */
function forced(
  situation: Situation,
  left: readonly Part[],
  deletes: Stage,
  message: string,
): Decision {
  const kept = left.flatMap((part) => {
    const { keptBy = [] } = part.observed.object ?? {};
    return keptBy.length === 0 ? [] : [`${wordsOf(part)} by ${listed(keptBy)}`];
  });
  const why = kept.length === 0 ? '' : `; finalizers keep ${listed(kept, 3)}`;
  const { settings } = situation;
  const words = `deleted by force after ${settings.forcefulDeletionGraceMs / 1_000} s, ${message}${why}`;
  const lookMs = lookAgainMs(situation, left);
  const around = { before: [deletes], ...(lookMs === Infinity ? {} : { requeueAtMs: lookMs }) };
  return hindered(situation, 'DeletionForced', words, around);
}

function hindered(
  situation: Situation,
  reason: 'DeletionForced' | 'DeletionRefused' | 'UnreadableComponent',
  words: string,
  around: Omit<Around, 'events'>,
): Decision {
  const occurrence = `${sinceMs(situation, 'DeletingResources')}.${reason}`;
  const isReported = conditionOf(situation, 'DeletingResources')?.reason === reason;
  const events = isReported ? [] : [event(situation, 'Warning', reason, words, occurrence)];
  const news = [found('DeletingResources', true, reason, words)];
  return moved(situation, reason, words, { news }, { ...around, events });
}

function gently(situation: Situation, left: readonly Part[]): Stage {
  return left
    .filter(({ observed }) => observed.object?.isDeleting === false)
    .flatMap((part) => deletionOf(situation, part, {}));
}

function byForce(situation: Situation, left: readonly Part[]): Stage {
  const { pods } = situation.snapshot;
  if (pods.length > 0) return pods.map((pod) => podDeletion(situation, pod));
  return left.flatMap((part) => deletionOf(situation, part, { gracePeriodSeconds: 0 }));
}

function deletionOf(
  { wrapper }: Situation,
  { recorded: { name }, observed: { resource, object } }: Part,
  more: Pick<DeleteOperation, 'gracePeriodSeconds'>,
): readonly DeleteOperation[] {
  if (resource === undefined || object === undefined) return [];
  const { namespace } = objectName(wrapper.metadata);
  const target = { namespace, name };
  const { uid } = object;
  return [{ kind: 'delete', resource, target, uid, propagation: 'Foreground', ...more }];
}

function podDeletion({ wrapper }: Situation, { name, uid }: ObservedPod): DeleteOperation {
  const { namespace } = objectName(wrapper.metadata);
  const target = { namespace, name };
  const resource = resources.Pod;
  return {
    kind: 'delete',
    resource,
    target,
    uid,
    propagation: 'Background',
    gracePeriodSeconds: 0,
  };
}

function leftWords(left: readonly Part[], pods: readonly ObservedPod[]): string {
  const names = new Set([...left.map(wordsOf), ...pods.map(({ name }) => `Pod ${name}`)]);
  return `waits until these are gone: ${listed([...names])}`;
}
