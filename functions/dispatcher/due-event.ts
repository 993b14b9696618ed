import { createHash } from 'node:crypto';
import { apiPath, type Resource } from '#shared/domain/objects.ts';
import { workItemIdentity, type WorkItem } from '#shared/domain/work-item.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';

/**
 * A work item as the CloudEvent `dev.millrace.<kind>.due.v1`. The id is derived (identity and cause),
 * so that a repeated delivery repeats it; `causationid` leads back to the change that was seen.
 * The subject is the path of the object, where `decided`, what the function decides about, is known.
 */
export function dueEvent(item: WorkItem, decided?: Resource): CloudEvent {
  const { apiVersion, kind, namespace, name, uid } = item.key;
  const identity = createHash('sha256').update(workItemIdentity(item)).digest('hex').slice(0, 16);
  return {
    id: `${identity}.${item.cause}`,
    source: `/millrace/dispatcher/${item.function}`,
    type: `dev.millrace.${kind.toLowerCase()}.due.v1`,
    ...(decided === undefined ? {} : { subject: apiPath(decided, namespace, name) }),
    datacontenttype: 'application/json',
    extensions: {
      kind,
      apiversion: apiVersion,
      name,
      namespace,
      uid,
      causationid: item.cause,
      ...(item.traceparent === undefined ? {} : { traceparent: item.traceparent }),
    },
    data: { apiVersion, kind, namespace, name, uid },
  };
}
