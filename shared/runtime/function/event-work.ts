/** Finds the object of an inbound event that the function has to decide about. */
import { MillraceError } from '#shared/domain/errors.ts';
import { controllerOf, isOf, type KubeObject, type Resource } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { changedObjectOf, type ChangedObject } from '#shared/events/changed-object.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { malformed } from '#shared/events/malformed.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { decidedKind, directTargets } from '#shared/subscription/route.ts';
import type { Subscription, Watch } from '#shared/subscription/subscription.ts';

export interface EventWorkContext {
  /** The subscription of the served function. */
  readonly subscription: Subscription;
  readonly reader: Reader;
}

type Identified = ChangedObject & { readonly uid: NonNullable<ChangedObject['uid']> };

/**
 * The work item. Undefined: the event concerns no object of the function (such as a Job without an
 * owner). Reads the object if the event lacks uid and owner (Knative's reference mode). Throws
 * MR_EVENT_UNROUTABLE, MR_EVENT_MALFORMED, and the reader's errors.
 */
export async function workItemOf(
  event: CloudEvent,
  context: EventWorkContext,
): Promise<WorkItem | undefined> {
  const changed = changedObjectOf(event) ?? unroutable(event, context);
  if (changed.change === 'due') return dueItem(event, changed, context);
  const watch = watchOf(changed, context) ?? unroutable(event, context);
  const object = await identify(changed, watch.resource, context.reader);
  return object === undefined ? undefined : routedItem(object, watch, context);
}

function dueItem(event: CloudEvent, due: ChangedObject, context: EventWorkContext): WorkItem {
  const { subscription } = context;
  if (decidedKind(subscription.decides, due) === undefined) return unroutable(event, context);
  const uid = due.uid ?? malformed('uid is missing');
  return itemFor(subscription.name, { ...due, uid }, due);
}

/** Only the bridge can use an index, so such events arrive as due events. */
function watchOf(changed: ChangedObject, { subscription }: EventWorkContext): Watch | undefined {
  return subscription.watches.find(
    ({ resource, leadsTo }) => typeof leadsTo !== 'function' && isOf(changed, resource),
  );
}

async function identify(
  changed: ChangedObject,
  kind: Resource,
  reader: Reader,
): Promise<Identified | undefined> {
  if (changed.uid !== undefined) return { ...changed, uid: changed.uid };
  const found = await reader.get(kind, changed);
  return found === undefined ? undefined : { ...changed, ...identityOf(found) };
}

function identityOf({ metadata }: KubeObject): Pick<Identified, 'uid' | 'owner'> {
  const owner = controllerOf(metadata);
  return { uid: metadata.uid, ...(owner === undefined ? {} : { owner }) };
}

function routedItem(
  object: Identified,
  watch: Watch,
  { subscription }: EventWorkContext,
): WorkItem | undefined {
  const [key] = directTargets(subscription, watch, object);
  return key === undefined ? undefined : itemFor(subscription.name, key, object);
}

function itemFor(
  functionName: string,
  key: WorkItem['key'],
  { id, cause, traceparent }: ChangedObject,
): WorkItem {
  const { apiVersion, kind, namespace, name, uid } = key;
  return {
    function: functionName,
    key: { apiVersion, kind, namespace, name, uid },
    cause: cause ?? id,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

function unroutable(event: CloudEvent, { subscription }: EventWorkContext): never {
  throw new MillraceError('MR_EVENT_UNROUTABLE', { function: subscription.name, type: event.type });
}
