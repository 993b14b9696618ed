/** Turns a change into an event reference. The same object and version give the same bytes in every replica. */
import { hash } from 'node:crypto';
import {
  apiPath,
  apiVersionOf,
  asEventId,
  controllerOf,
  type EventId,
  objectName,
  type Resource,
} from '#shared/domain/objects.ts';
import { eventType, type EventReference } from '#shared/events/event-reference.ts';
import type { Change } from '#shared/kube/reflector-options.ts';

const suffixes = { changed: '', deleted: '.deleted', gone: '.gone' } as const;

/**
 * Pure. The id depends on the object alone, so restarts, relists and a second bridge repeat it and the
 * journal recognizes it. `gone` (inferred from a relist) differs from an observed deletion: its version
 * is the last known one, not that of the deletion.
 */
export function translate(clusterUid: string, resource: Resource, change: Change): EventReference {
  const { metadata } = change.object;
  const { uid, resourceVersion } = metadata;
  const { namespace, name } = objectName(metadata);
  const id = asEventId(`${uid}.${resourceVersion}${suffixes[change.type]}`);
  const owner = controllerOf(metadata);
  const { source, apiVersion, changed, deleted } = wordsOf(clusterUid, resource);
  return {
    id,
    source,
    type: change.type === 'changed' ? changed : deleted,
    subject: apiPath(resource, namespace, name),
    apiVersion,
    kind: resource.kind,
    namespace,
    name,
    uid,
    resourceVersion,
    ...(owner === undefined
      ? {}
      : {
          owner: {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            name: owner.name,
            uid: owner.uid,
          },
        }),
    traceparent: traceparentOf(id),
  };
}

/** Strings that all events of one kind share, so that they are in memory once. */
interface Words {
  readonly clusterUid: string;
  readonly source: string;
  readonly apiVersion: string;
  readonly changed: string;
  readonly deleted: string;
}

const words = new WeakMap<Resource, Words>();

function wordsOf(clusterUid: string, resource: Resource): Words {
  const known = words.get(resource);
  if (known?.clusterUid === clusterUid) return known;
  const made = {
    clusterUid,
    source: sourceOf(clusterUid, resource),
    apiVersion: apiVersionOf(resource),
    changed: eventType(resource.kind, 'changed'),
    deleted: eventType(resource.kind, 'deleted'),
  };
  words.set(resource, made);
  return made;
}

/** The source of every event about this resource. */
export function sourceOf(clusterUid: string, { group, version, plural }: Resource): string {
  const segments = [clusterUid, group, version, plural].filter((segment) => segment !== '');
  return `/millrace/${segments.join('/')}`;
}

/** W3C trace context, sampled. It is derived from the event, so a repeated event joins the same trace. */
export function traceparentOf(id: EventId): string {
  const digest = hash('sha256', id, 'hex');
  return ['00', digest.slice(0, 32), digest.slice(32, 48), '01'].join('-');
}
