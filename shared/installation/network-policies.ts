/**
 * Allowed connections; all others are denied. Enforcement depends on the network plugin; deliveries
 * are signed in any case.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { containerPort } from './container.ts';
import { manifest, partLabel, partOf, redisName, selectorOf } from './names.ts';
import { redisPort } from './trial-redis.ts';

interface Allowed {
  readonly name: string;
  readonly to: Readonly<Record<string, string>>;
  /** Absent: from everywhere. */
  readonly from?: readonly JsonObject[];
  readonly port: number;
}

const ofNamespace = (name: string): JsonObject => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
});
const ofPart = (part: string): JsonObject => ({
  podSelector: { matchLabels: { [partLabel]: part } },
});

const allowed: readonly Allowed[] = [
  {
    name: 'deliveries',
    to: { ...partOf, [partLabel]: 'function' },
    // Knative's activator passes deliveries on, and its autoscaler scrapes the number of requests.
    from: [ofPart('worker'), ofNamespace('knative-serving')],
    port: containerPort,
  },
  // The API server is not a Pod, and its address is unknown here.
  { name: 'reviews', to: { ...partOf, [partLabel]: 'admission' }, port: containerPort },
];

export function networkPolicies(namespace: string): readonly JsonObject[] {
  const denyAll = manifest(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    { name: 'nobody', namespace, labels: partOf },
    { spec: { podSelector: { matchLabels: partOf }, policyTypes: ['Ingress'] } },
  );
  const queueProxies = policy(
    namespace,
    {
      name: 'queue-proxies',
      to: partOf,
      from: [ofNamespace('knative-serving')],
    },
    [8012, 8013, 8022, 9090, 9091],
  );
  return [denyAll, ...allowed.map((each) => policy(namespace, each, [each.port])), queueProxies];
}

/** The included Redis authenticates its clients; this policy also blocks all others. */
export function redisNetworkPolicy(namespace: string): JsonObject {
  const users = ['worker', 'function', 'admission'];
  return policy(
    namespace,
    {
      name: redisName,
      to: selectorOf(redisName),
      from: [
        {
          podSelector: {
            matchExpressions: [{ key: partLabel, operator: 'In', values: users }],
          },
        },
      ],
    },
    [redisPort],
  );
}

function policy(
  namespace: string,
  { name, to, from }: Pick<Allowed, 'name' | 'to' | 'from'>,
  ports: readonly number[],
): JsonObject {
  return manifest(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    { name, namespace, labels: partOf },
    {
      spec: {
        podSelector: { matchLabels: to },
        policyTypes: ['Ingress'],
        ingress: [
          {
            ...(from === undefined ? {} : { from: [...from] }),
            ports: ports.map((port) => ({ protocol: 'TCP', port })),
          },
        ],
      },
    },
  );
}
