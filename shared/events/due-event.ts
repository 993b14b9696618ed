import { createHash } from 'node:crypto';
import { apiPath, isOf, type Resource } from '#shared/domain/objects.ts';
import { workItemIdentity, type WorkItem } from '#shared/domain/work-item.ts';
import type { CloudEvent } from './cloud-event.ts';

/** Extensions of a due event that identify the object for the function. */
export const dueExtensions = {
  kind: 'Kind of the object.',
  apiversion: 'Its group and version, as in a manifest.',
  name: 'Its name.',
  namespace: 'Its namespace; empty for an object of the whole cluster.',
  uid: 'Its uid.',
  causationid: 'The id of the event that asked for it.',
  traceparent: 'W3C trace context of that event. Absent: it had none.',
} as const;

/** The sender of a work item to a function. `invoke`: a user of the command line. */
export type DueSender = 'dispatcher' | 'bridge' | 'invoke';

/**
 * A work item as the CloudEvent `dev.millrace.<kind>.due.v1`. Its id is derived from identity and
 * cause, so that a repeated delivery has the same id. `causationid` is the id of the observed change.
 * The subject is the object's path, if `decided`, the function's resource, is known.
 */
export function dueEvent(
  item: WorkItem,
  sender: DueSender,
  decided: readonly Resource[] = [],
): CloudEvent {
  const { apiVersion, kind, namespace, name, uid } = item.key;
  const identity = createHash('sha256').update(workItemIdentity(item)).digest('hex').slice(0, 16);
  const resource = decided.find((each) => isOf(item.key, each));
  const extensions: Readonly<Partial<Record<keyof typeof dueExtensions, string>>> = {
    kind,
    apiversion: apiVersion,
    name,
    namespace,
    uid,
    causationid: item.cause,
    ...(item.traceparent === undefined ? {} : { traceparent: item.traceparent }),
  };
  return {
    id: `${identity}.${item.cause}`,
    source: `/millrace/${sender}/${item.function}`,
    type: `dev.millrace.${kind.toLowerCase()}.due.v1`,
    ...(resource === undefined ? {} : { subject: apiPath(resource, namespace, name) }),
    datacontenttype: 'application/json',
    extensions,
    data: { apiVersion, kind, namespace, name, uid },
  };
}
