/**
 * Events by a broker of Knative Eventing, beside bridge and dispatcher. An ApiServerSource sends changes to a
 * broker, and Triggers deliver them to functions. This is a second path for events that a function can route
 * itself. It does not replace the first one: a broker has no requeue times, no indexes, no sweep and no earlier
 * objects.
 */
import { apiVersionOf, type JsonObject } from '#shared/domain/objects.ts';
import { labels } from '#shared/domain/labels.ts';
import { accessOf, type Reach } from './access.ts';
import { brokerOf, brokerSink, deliveriesOfBroker, sources, triggerOf } from './broker.ts';
import type { DeclaredProcess, Wake } from './declared-process.ts';
import { manifest, partOf } from './names.ts';

/** Also the name of its ServiceAccount. */
const sourceName = 'api-server-source';

export function eventingOf(
  processes: readonly DeclaredProcess[],
  reach: Reach,
): readonly JsonObject[] {
  const { namespace } = reach;
  const woken = processes.filter(({ wokenBy = [] }) => wokenBy.length > 0);
  const wakes = distinct(woken.flatMap(({ wokenBy = [] }) => wokenBy));
  const access = wakes.map(({ resource }) => ({
    resource,
    verbs: ['get', 'list', 'watch'] as const,
  }));
  const triggers = woken.flatMap(({ name, wokenBy = [] }) =>
    wokenBy.map(({ resource }) => triggerOf(name, resource, namespace)),
  );
  return [
    ...accessOf({ name: sourceName, access }, reach),
    brokerOf(namespace),
    sourceOf(wakes, reach),
    ...triggers,
    deliveriesOfBroker(namespace),
  ];
}

/** References only: whole objects would put values of environment variables into the broker. */
function sourceOf(wakes: readonly Wake[], { namespace, namespaced }: Reach): JsonObject {
  const children = { matchExpressions: [{ key: labels.ownerUid, operator: 'Exists' }] };
  return manifest(
    sources,
    'ApiServerSource',
    { name: sourceName, namespace, labels: partOf },
    {
      spec: {
        serviceAccountName: sourceName,
        mode: 'Reference',
        // Empty: all namespaces. Absent: its own.
        ...(namespaced ? {} : { namespaceSelector: {} }),
        resources: wakes.map(({ resource, isChild }) => ({
          apiVersion: apiVersionOf(resource),
          kind: resource.kind,
          ...(isChild ? { selector: children } : {}),
        })),
        sink: brokerSink,
      },
    },
  );
}

/** One resource may wake several functions; the widest selection is used. */
function distinct(wakes: readonly Wake[]): readonly Wake[] {
  const byResource = Map.groupBy(
    wakes,
    ({ resource }) => `${apiVersionOf(resource)} ${resource.kind}`,
  );
  return [...byResource.values()].flatMap((same) =>
    same
      .slice(0, 1)
      .map(({ resource }) => ({ resource, isChild: same.every(({ isChild }) => isChild) })),
  );
}
