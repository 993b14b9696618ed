/** What an inbound event asks of a function: the object that it is to decide about. */
import { MillraceError } from '#shared/domain/errors.ts';
import { apiVersionOf, controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { resources, type ResourceKind } from '#shared/domain/resources.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { changedObjectOf, type ChangedObject } from '#shared/events/changed-object.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { malformed } from '#shared/events/malformed.ts';
import { routes, type Route } from '#shared/events/routes.ts';
import type { Reader } from '#shared/kube/reader.ts';

/** What the HTTP face needs to know of a function. */
export interface ServedFunction {
  readonly name: string;
  readonly decides: ResourceKind;
}

export interface EventWorkContext {
  readonly fn: ServedFunction;
  readonly reader: Reader;
}

type Identified = ChangedObject & { readonly uid: NonNullable<ChangedObject['uid']> };

/**
 * The work item, or undefined when the event concerns nothing that the function decides about (a Job
 * that is nobody's). Reads the object where the event does not tell uid and owner (Knative's
 * reference mode). Throws MR_EVENT_UNROUTABLE, MR_EVENT_MALFORMED, and what the reader throws.
 */
export async function workItemOf(
  event: CloudEvent,
  context: EventWorkContext,
): Promise<WorkItem | undefined> {
  const changed = changedObjectOf(event) ?? unroutable(event, context);
  if (changed.change === 'due') return dueItem(event, changed, context);
  const route = routeOf(changed, context) ?? unroutable(event, context);
  const object = await identify(changed, route.on, context.reader);
  return object === undefined ? undefined : routedItem(object, route);
}

function dueItem(event: CloudEvent, due: ChangedObject, context: EventWorkContext): WorkItem {
  const { fn } = context;
  if (!isOfKind(due, fn.decides)) return unroutable(event, context);
  const uid = due.uid ?? malformed('uid is missing');
  return itemFor(fn.name, { ...due, uid }, due);
}

/** Referrers are found by the bridge's index alone, so such events come as due events. */
function routeOf(changed: ChangedObject, { fn }: EventWorkContext): Route | undefined {
  return routes.find(
    (route) =>
      route.function === fn.name && route.target !== 'referrers' && isOfKind(changed, route.on),
  );
}

async function identify(
  changed: ChangedObject,
  kind: ResourceKind,
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

function routedItem(object: Identified, route: Route): WorkItem | undefined {
  if (route.target === 'self') return itemFor(route.function, object, object);
  const { owner } = object;
  if (owner === undefined || !isOfKind(owner, route.decides)) return undefined;
  return itemFor(route.function, { ...owner, namespace: object.namespace }, object);
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

function isOfKind(
  object: { readonly apiVersion: string; readonly kind: string },
  kind: ResourceKind,
): boolean {
  const resource = resources[kind];
  return object.kind === resource.kind && object.apiVersion === apiVersionOf(resource);
}

function unroutable(event: CloudEvent, { fn }: EventWorkContext): never {
  throw new MillraceError('MR_EVENT_UNROUTABLE', { function: fn.name, type: event.type });
}
