/** The request that an operation of a plan has to become, told from the operation alone. */
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import type { EmitEventOperation, Operation } from '#shared/domain/plan.ts';
import { isSame } from '../same-data.ts';
import type { Exchange } from './exchange.ts';

/** Whose requests they are. */
export interface Sender {
  readonly cause: string;
  readonly manager: string;
  readonly instance: string;
}

/** Of a note, in bytes; what is longer is cut. */
const longestNote = 1_024;

export function nameOf(operation: Operation): string {
  switch (operation.kind) {
    case 'create':
      return operation.object.metadata.name;
    case 'emitEvent':
      return operation.regarding.name;
    case 'patch':
    case 'patchStatus':
    case 'delete':
      return operation.target.name;
  }
}

/** Whether this request stands for that operation, right or wrong in its particulars. */
export function standsFor({ verb, resource, name, options, body }: Exchange, operation: Operation) {
  switch (operation.kind) {
    case 'create':
      return isOn('create', operation.resource);
    case 'patch':
      return isOn('patch', operation.resource) && options['subresource'] === undefined;
    case 'patchStatus':
      return isOn('patch', operation.resource) && options['subresource'] === 'status';
    case 'delete':
      return isOn('delete', operation.resource);
    case 'emitEvent':
      return verb === 'create' && resource.kind === 'Event' && tellsOf(body, operation);
  }

  function isOn(asked: Exchange['verb'], on: Resource): boolean {
    return verb === asked && resource.kind === on.kind && name === nameOf(operation);
  }
}

function tellsOf(body: unknown, { reason, note, regarding }: EmitEventOperation): boolean {
  const told = body as { readonly reason: string; readonly message: string } & {
    readonly involvedObject: { readonly uid: string };
  };
  const isNote = told.message === note || Buffer.byteLength(note) > longestNote;
  return told.reason === reason && told.involvedObject.uid === regarding.uid && isNote;
}

/** What is wrong with the request that stands for the operation; undefined: nothing. */
export function requestFault(exchange: Exchange, operation: Operation, sender: Sender) {
  const wanted = wantedOf(exchange, operation, sender);
  const { namespace, body, options } = exchange;
  const came = { namespace, body, options };
  return isSame(came, wanted)
    ? undefined
    : `asked ${JSON.stringify(came)} where the plan wants ${JSON.stringify(wanted)}`;
}

function wantedOf(exchange: Exchange, operation: Operation, sender: Sender) {
  const fieldManager = sender.manager;
  switch (operation.kind) {
    case 'create': {
      const { metadata, ...object } = operation.object;
      const causedBy = { [annotations.causedBy]: sender.cause };
      const stamped = { ...metadata, annotations: { ...metadata.annotations, ...causedBy } };
      const { namespace = '' } = metadata;
      return { namespace, body: { ...object, metadata: stamped }, options: { fieldManager } };
    }
    case 'patch': {
      const { target, uid, resourceVersion, patch } = operation;
      const version = resourceVersion === undefined ? {} : { resourceVersion };
      const metadata = { ...(patch['metadata'] as object | undefined), uid, ...version };
      const options = { type: 'merge', fieldManager };
      return { namespace: target.namespace, body: { ...patch, metadata }, options };
    }
    case 'patchStatus': {
      const { target, uid, resourceVersion, status } = operation;
      const body = { metadata: { uid, resourceVersion }, status };
      const options = { type: 'merge', subresource: 'status', fieldManager };
      return { namespace: target.namespace, body, options };
    }
    case 'delete': {
      const { target, uid, resourceVersion, propagation } = operation;
      const version = resourceVersion === undefined ? {} : { resourceVersion };
      const options = { uid, propagation, ...version };
      return { namespace: target.namespace, body: undefined, options };
    }
    case 'emitEvent':
      return wantedEvent(exchange, operation, sender);
  }
}

/** Its name is judged for itself: the same for the same Event, and another one for another. */
function wantedEvent({ name, sentMs, body }: Exchange, event: EmitEventOperation, sender: Sender) {
  const { regarding, type, reason, action, note } = event;
  const moment = new Date(sentMs).toISOString();
  const second = `${moment.slice(0, 19)}Z`;
  const namespace = regarding.namespace === '' ? 'default' : regarding.namespace;
  return {
    namespace,
    options: { fieldManager: sender.manager },
    body: {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      eventTime: `${moment.slice(0, 23)}000Z`,
      firstTimestamp: second,
      lastTimestamp: second,
      count: 1,
      ...{ type, reason, action },
      message: cutNote(note, (body as { readonly message: string }).message),
      involvedObject: regarding,
      source: { component: sender.manager },
      reportingComponent: sender.manager,
      reportingInstance: sender.instance,
    },
  };
}

/** A note that is too long may be cut where that pleases, as long as it fills most of the room. */
function cutNote(note: string, told: string): string {
  if (Buffer.byteLength(note) <= longestNote) return note;
  const size = Buffer.byteLength(told);
  const isCut = told.endsWith('...') && note.startsWith(told.slice(0, -3));
  return isCut && size <= longestNote && size > longestNote - 8 ? told : note;
}

export function isOurs({ metadata }: KubeObject, ownerUid: string): boolean {
  const owners = metadata.ownerReferences ?? [];
  return owners.some(({ controller, uid }) => controller === true && uid === ownerUid);
}
