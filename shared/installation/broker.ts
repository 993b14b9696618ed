/** Delivery to functions by a broker of Knative Eventing, with any source. */
import { apiVersionOf, type JsonObject, type Resource } from '#shared/domain/objects.ts';
import { containerPort } from './container.ts';
import { manifest, partLabel, partOf } from './names.ts';

const brokerName = 'millrace';
const eventing = 'eventing.knative.dev/v1';

export const sources = 'sources.knative.dev/v1';

/** The sink of a source. */
export const brokerSink = { ref: { apiVersion: eventing, kind: 'Broker', name: brokerName } };

export function brokerOf(namespace: string): JsonObject {
  return manifest(eventing, 'Broker', { name: brokerName, namespace, labels: partOf });
}

/**
 * Delivers to the function's Service, which has the same name in every variant. `more`: attributes that distinguish
 * events if two functions decide about one kind.
 */
export function triggerOf(
  name: string,
  resource: Resource,
  namespace: string,
  more: JsonObject = {},
): JsonObject {
  const attributes = { apiversion: apiVersionOf(resource), kind: resource.kind, ...more };
  return manifest(
    eventing,
    'Trigger',
    { name: `${name}-${resource.kind.toLowerCase()}`, namespace, labels: partOf },
    {
      spec: {
        broker: brokerName,
        filter: { attributes },
        subscriber: { ref: { apiVersion: 'v1', kind: 'Service', name } },
        // A function that is busy with the object answers 409. The bridge's sweep finds objects whose events are lost
        // in the end.
        delivery: { retry: 5, backoffPolicy: 'exponential', backoffDelay: 'PT0.2S' },
      },
    },
  );
}

export function deliveriesOfBroker(namespace: string): JsonObject {
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
        ingress: [{ from: [from], ports: [{ protocol: 'TCP', port: containerPort }] }],
      },
    },
  );
}
