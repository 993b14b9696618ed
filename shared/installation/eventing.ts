/**
 * Events by a broker of Knative Eventing, beside those of bridge and dispatcher: an ApiServerSource tells a
 * broker of changes, and Triggers have it deliver them to functions. It is a second way for what a function can
 * route by itself, and no other one for the rest: a broker knows no time at which to come again, no index and no
 * sweep, and nothing of what was there before the source began.
 */
import { apiVersionOf, type JsonObject } from '#shared/domain/objects.ts';
import { labels } from '#shared/domain/labels.ts';
import { accessOf, type Reach } from './access.ts';
import type { DeclaredProcess, Wake } from './declared-process.ts';
import { manifest, partLabel, partOf } from './names.ts';

const brokerName = 'millrace';

/** Also of its ServiceAccount. */
const sourceName = 'api-server-source';

const eventing = 'eventing.knative.dev/v1';

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
    wokenBy.map((wake) => triggerOf(name, wake, namespace)),
  );
  return [
    ...accessOf({ name: sourceName, access }, reach),
    manifest(eventing, 'Broker', { name: brokerName, namespace, labels: partOf }),
    sourceOf(wakes, reach),
    ...triggers,
    deliveriesOfBroker(namespace),
  ];
}

/** References alone: whole objects would put the values of environments into the broker. */
function sourceOf(wakes: readonly Wake[], { namespace, namespaced }: Reach): JsonObject {
  const children = { matchExpressions: [{ key: labels.ownerUid, operator: 'Exists' }] };
  return manifest(
    'sources.knative.dev/v1',
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
        sink: { ref: { apiVersion: eventing, kind: 'Broker', name: brokerName } },
      },
    },
  );
}

/** To the Service of the function, which has the same name however the function runs. */
function triggerOf(name: string, { resource }: Wake, namespace: string): JsonObject {
  const attributes = { apiversion: apiVersionOf(resource), kind: resource.kind };
  return manifest(
    eventing,
    'Trigger',
    { name: `${name}-${resource.kind.toLowerCase()}`, namespace, labels: partOf },
    {
      spec: {
        broker: brokerName,
        filter: { attributes },
        subscriber: { ref: { apiVersion: 'v1', kind: 'Service', name } },
        // A function that is busy with the object says 409. What is lost in the end the sweep of the bridge finds.
        delivery: { retry: 5, backoffPolicy: 'exponential', backoffDelay: 'PT0.2S' },
      },
    },
  );
}

function deliveriesOfBroker(namespace: string): JsonObject {
  const from = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'knative-eventing' } },
  };
  return manifest(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    { name: 'broker', namespace, labels: partOf },
    {
      spec: {
        podSelector: { matchLabels: { ...partOf, [partLabel]: 'function' } },
        policyTypes: ['Ingress'],
        ingress: [{ from: [from], ports: [{ protocol: 'TCP', port: 8080 }] }],
      },
    },
  );
}

/** Several functions may be woken by one resource; whoever wants all of it gets it for all. */
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
