/**
 * Millrace's own event types: an event reference as a CloudEvent and back. The data only names the
 * object.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { CloudEvent } from './cloud-event.ts';
import type { EventReference } from './event-reference.ts';
import { changedObjectOf } from './changed-object.ts';
import { malformed } from './malformed.ts';

export function fromEventReference(reference: EventReference): CloudEvent {
  const { apiVersion, kind, namespace, name, uid, resourceVersion, owner } = reference;
  const trace = reference.traceparent;
  return {
    id: reference.id,
    source: reference.source,
    type: reference.type,
    subject: reference.subject,
    datacontenttype: 'application/json',
    extensions: {
      kind,
      apiversion: apiVersion,
      name,
      namespace,
      uid,
      resourceversion: resourceVersion,
      ...(trace === undefined ? {} : { traceparent: trace }),
    },
    data: {
      apiVersion,
      kind,
      namespace,
      name,
      uid,
      resourceVersion,
      ...(owner === undefined ? {} : { owner: owner satisfies JsonObject }),
    },
  };
}

/**
 * The reference in a `dev.millrace.<kind>.<changed|deleted>.v1` event. Throws MR_EVENT_MALFORMED for
 * any other event, and if the object is not named completely.
 */
export function toEventReference(event: CloudEvent): EventReference {
  const object = changedObjectOf(event);
  if (object?.dialect !== 'millrace' || object.change === 'due') {
    return malformed(`type "${event.type}" is not a change event of Millrace`);
  }
  const { uid, resourceVersion, owner, traceparent } = object;
  if (uid === undefined) return malformed('uid is missing');
  if (resourceVersion === undefined) return malformed('resourceversion is missing');
  return {
    id: object.id,
    source: event.source,
    type: event.type,
    subject: event.subject ?? malformed('subject is missing'),
    apiVersion: object.apiVersion,
    kind: object.kind,
    namespace: object.namespace,
    name: object.name,
    uid,
    resourceVersion,
    ...(owner === undefined ? {} : { owner }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}
