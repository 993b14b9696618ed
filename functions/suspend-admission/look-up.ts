/** Looks up facts about a new object: in memory, and its owners if Kueue's rule depends on them. */
import { type SuspendPolicy, suspendPolicyDefaults } from '#shared/api/suspend-policy.ts';
import { queuedKindNamed } from '#shared/api/work/queued-kinds.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import { exemptNamespaces } from '#shared/domain/exempt-namespaces.ts';
import { isSelected } from '#shared/domain/label-selector.ts';
import {
  controllerOf,
  type JsonObject,
  type KubeObject,
  type ObjectMeta,
} from '#shared/domain/objects.ts';
import type { Clock } from '#shared/domain/clock.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import { governedObject } from '#shared/suspension/governed-object.ts';
import { keyOf } from '#shared/suspension/policy-key.ts';
import type { ScheduleState } from '#shared/schedule/schedule.ts';
import { isFollowed, selects } from '#shared/suspension/selection.ts';
import type { Facts, Owner, QueueFacts, SelectingPolicy } from './facts.ts';
import type { KueueSettings } from '#shared/kueue/kueue-settings.ts';
import { frameworkOf, ownersOf } from '#shared/kueue/owners.ts';
import type { Place, Room } from './look-up/room.ts';
import type { Policies } from './policy-book.ts';
import { defaultQueue, isSuspended, queueOf } from '#shared/domain/queue-labels.ts';

export interface Known {
  readonly policies: Policies;
  readonly room: Room;
  readonly clock: Clock;
  readonly kueue: KueueSettings;
}

export async function lookUp(review: Review, known: Known, { reader }: Inquiry): Promise<Facts> {
  const queue = await queueFacts(review, known, reader);
  return { queue, policies: selectingPolicies(review, known) };
}

async function queueFacts(
  review: Review,
  { policies, kueue }: Known,
  reader: Inquiry['reader'],
): Promise<QueueFacts> {
  const { object = {}, namespace, resource, kind } = review;
  const { managesUnlabelled, frameworks } = kueue;
  const { group, version } = resource;
  const isKueues = frameworks.has(
    frameworkOf({ apiVersion: `${group}/${version}`, kind: kind.kind }),
  );
  const isManaged = isKueues && isSelected(kueue.namespaces, policies.labelsOf(namespace));
  const takesDefaultQueue =
    isManaged && policies.hasLocalQueue(namespace, defaultQueue) && takesDefault(review, kueue);
  const mayWait = managesUnlabelled || takesDefaultQueue || queueOf(object) !== '';
  const { owners, isEndless } =
    isManaged && mayWait && !isSuspended(object)
      ? await ownersOf(metadataOf(object), namespace, frameworks, (owner, name) =>
          reader.get(owner, name),
        )
      : { owners: [], isEndless: false };
  return {
    ...{ isManaged, managesUnlabelled, isEndless, owners: owners.map(asOwner) },
    ...(takesDefaultQueue ? { takesDefaultQueue } : {}),
  };
}

function asOwner(owner: KubeObject): Owner {
  const queue = queueOf(owner as unknown as JsonObject);
  const { name } = owner.metadata;
  return { kind: frameworkOf(owner), name, ...(queue === '' ? {} : { queue }) };
}

/** For Jobs Kueue's own webhook sets it (v0.19 jobframework, ApplyDefaultLocalQueue). */
function takesDefault(
  { object = {}, resource, kind: { kind } }: Review,
  { frameworks }: KueueSettings,
): boolean {
  const { group, version } = resource;
  const isOurs = queuedKindNamed({ apiVersion: `${group}/${version}`, kind }) !== undefined;
  const owner = controllerOf(metadataOf(object));
  const isOwned = owner !== undefined && frameworks.has(frameworkOf(owner));
  return isOurs && !isOwned && queueOf(object) === '';
}

/** A submitted object may have no metadata yet. */
function metadataOf({ metadata }: JsonObject): ObjectMeta {
  return (metadata ?? {}) as unknown as ObjectMeta;
}

function selectingPolicies(
  { object, namespace, dryRun }: Review,
  { policies, room, clock }: Known,
): readonly SelectingPolicy[] {
  const governed = governedObject(object as unknown as KubeObject);
  if (governed === undefined || governed.suspend || governed.untouchable !== undefined) return [];
  const nowMs = clock.now();
  const namespaces = {
    labelsOf: (name: string) => policies.labelsOf(name),
    // No webhook is called in exempt namespaces, unless it is the only one that is served.
    exempt: exemptNamespaces({ served: namespace }),
  };
  return policies
    .all()
    .filter(isFollowed)
    .filter((policy) => selects(policy, { ...governed, namespace }, namespaces))
    .flatMap((policy) => {
      const opening = policies.openingOf(policy, nowMs);
      if (opening === undefined) return [];
      return [{ ...selecting(policy, opening), ...room.take(policy, dryRun) }];
    });
}

function selecting(
  policy: SuspendPolicy,
  opening: ScheduleState,
): Omit<SelectingPolicy, keyof Place> {
  const { metadata, spec } = policy;
  return {
    key: keyOf(policy),
    uid: metadata.uid,
    precedence: spec.precedence ?? suspendPolicyDefaults.precedence,
    adopt: spec.adopt ?? suspendPolicyDefaults.adopt,
    opening,
    hasCapacity: spec.capacity !== undefined,
    ...(spec.overrides === 'Forbid' ? { forbidsOverrides: true } : {}),
  };
}
