import { createHash } from 'node:crypto';
import { apiPath } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { workItemIdentity, type WorkItem } from '#shared/domain/work-item.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';

/**
 * A work item as the CloudEvent `dev.millrace.<kind>.due.v1`. The id is derived (identity and cause),
 * so that a repeated delivery repeats it; `causationid` leads back to the change that was seen.
 */
export function dueEvent(item: WorkItem): CloudEvent {
  const { apiVersion, kind, namespace, name, uid } = item.key;
  const identity = createHash('sha256').update(workItemIdentity(item)).digest('hex').slice(0, 16);
  const resource = Object.values(resources).find((each) => each.kind === kind);
  return {
    id: `${identity}.${item.cause}`,
    source: `/millrace/dispatcher/${item.function}`,
    type: `dev.millrace.${kind.toLowerCase()}.due.v1`,
    ...(resource === undefined ? {} : { subject: apiPath(resource, namespace, name) }),
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
