/** Finds the objects that an event concerns. */
import type { EventId, ObjectKey, Resource } from '#shared/domain/objects.ts';
import { apiVersionOf, isOf } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import type { Subscription, Watch } from './subscription.ts';

/** The object in an event, with what routes need. */
export type EventObject = Pick<
  EventReference,
  'apiVersion' | 'kind' | 'namespace' | 'name' | 'uid' | 'owner'
>;

/**
 * Pure. The keys that an event leads to without an index; only a process with views can use an index.
 */
export function directTargets(
  { decides }: Pick<Subscription, 'decides'>,
  { leadsTo }: Pick<Watch, 'leadsTo'>,
  event: EventObject,
): readonly ObjectKey[] {
  if (leadsTo === 'self') return [selfKey(event)];
  return leadsTo === 'controller' ? controllerKey(decides, event) : [];
}

/** Pure. The work items of all subscriptions for an event, without indexes, in their order. */
export function directItems(
  subscriptions: readonly Subscription[],
  event: EventReference,
): readonly WorkItem[] {
  return subscriptions.flatMap((subscription) =>
    subscription.watches
      .filter(({ resource }) => isOf(event, resource))
      .flatMap((watch) => directTargets(subscription, watch, event))
      .map((key) => workItem(subscription.name, key, event)),
  );
}

export function workItem(
  name: string,
  key: ObjectKey,
  { id, traceparent }: { readonly id: EventId; readonly traceparent?: string | undefined },
): WorkItem {
  return {
    function: name,
    key,
    cause: id,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

export function selfKey({ apiVersion, kind, namespace, name, uid }: EventObject): ObjectKey {
  return { apiVersion, kind, namespace, name, uid };
}

function controllerKey(
  decides: Subscription['decides'],
  { namespace, owner }: EventObject,
): readonly ObjectKey[] {
  const kind = owner === undefined ? undefined : decidedKind(decides, owner);
  if (owner === undefined || kind === undefined) return [];
  const { name, uid } = owner;
  return [{ apiVersion: apiVersionOf(kind), kind: kind.kind, namespace, name, uid }];
}

/** The kind of the reference, among those that are decided about. */
export function decidedKind(
  decides: readonly Resource[],
  reference: Pick<ObjectKey, 'apiVersion' | 'kind'>,
): Resource | undefined {
  return decides.find((resource) => isOf(reference, resource));
}
