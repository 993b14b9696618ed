/**
 * Events by a broker of Knative Eventing, beside those of bridge and dispatcher: an ApiServerSource tells a
 * broker of changes, and Triggers have it deliver them to functions. It is a second way for what a function can
 * route by itself, and no other one for the rest: a broker knows no time at which to come again, no index and no
 * sweep, and nothing of what was there before the source began.
 */
import { apiVersionOf, type JsonObject } from '#shared/domain/objects.ts';
import { labels } from '#shared/domain/labels.ts';
import { accessOf, type Reach } from './access.ts';
import { brokerOf, brokerSink, deliveriesOfBroker, sources, triggerOf } from './broker.ts';
import type { DeclaredProcess, Wake } from './declared-process.ts';
import { manifest, partOf } from './names.ts';

/** Also of its ServiceAccount. */
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

/** References alone: whole objects would put the values of environments into the broker. */
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

/** Several functions may be woken by one resource; the widest selection of them counts. */
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
