/**
 * Who may reach whom: nobody, unless it is said here. Whether a network holds to it is a matter of its
 * plugin; deliveries are signed in any case.
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
    // With Knative its activator hands deliveries on, and its autoscaler asks how many there are.
    from: [ofPart('worker'), ofNamespace('knative-serving')],
    port: containerPort,
  },
  // The API server is no Pod, and nobody knows its address from here.
  { name: 'reviews', to: { ...partOf, [partLabel]: 'admission' }, port: containerPort },
];

export function networkPolicies(namespace: string): readonly JsonObject[] {
  const nobody = manifest(
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
  return [nobody, ...allowed.map((each) => policy(namespace, each, [each.port])), queueProxies];
}

/** The Redis that comes along knows who asks; the network keeps everybody else away beside that. */
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
