/**
 * A Redis for trying Millrace: one Pod, no disk. Lost data is restored from the cluster; while Redis is away
 * nothing progresses. It speaks only TLS, and its only users are the processes, by hashes of their passwords.
 * Their rights are part of its Deployment, so it restarts with a version that changes them.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { restricted } from './container.ts';
import type { DeclaredProcess } from './declared-process.ts';
import {
  certificateSecret,
  manifest,
  partOf,
  redisKeys,
  redisName,
  secrets,
  selectorOf,
} from './names.ts';
import { redisUsers } from './redis-users.ts';
import type { InstallationSettings } from './settings.ts';

export const redisPort = 6379;

/** The user of the official image. */
const redisUser = 999;

/** The kubelet substitutes variables here. */
const clusterVariable = 'CLUSTER_UID';
const certificateFolder = '/etc/redis/tls';

export function trialRedis(
  processes: readonly DeclaredProcess[],
  { namespace, redisImage, imagePullPolicy }: InstallationSettings,
): readonly JsonObject[] {
  const users = redisUsers(processes, `$(${clusterVariable})`);
  const labels = { 'app.kubernetes.io/name': redisName, ...selectorOf(redisName) };
  const metadata = { name: redisName, namespace, labels };
  const ports = [{ name: redisName, port: redisPort, targetPort: redisPort }];
  const probe = { tcpSocket: { port: redisPort }, periodSeconds: 5 };
  const container = {
    name: redisName,
    image: redisImage,
    imagePullPolicy,
    command: ['redis-server'],
    args: [
      ...['--save', '', '--dir', '/data'],
      // Evicting a key would lose a wake-up.
      ...['--maxmemory', '192mb', '--maxmemory-policy', 'noeviction'],
      ...['--port', '0', '--tls-port', String(redisPort), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', `${certificateFolder}/tls.crt`],
      ...['--tls-key-file', `${certificateFolder}/tls.key`],
      ...['--user', 'default', 'off'],
      ...users.flatMap(({ name, rules }) => [
        ...['--user', name, 'on', `#$(${hashVariable(name)})`],
        ...rules,
      ]),
    ],
    env: [
      variable(clusterVariable, redisKeys.cluster),
      ...users.map(({ name }) => variable(hashVariable(name), redisKeys.hashOf(name))),
    ],
    ports: [{ name: redisName, containerPort: redisPort }],
    readinessProbe: probe,
    livenessProbe: { ...probe, periodSeconds: 10, failureThreshold: 6 },
    resources: {
      requests: { cpu: '50m', memory: '64Mi' },
      limits: { cpu: '1', memory: '256Mi' },
    },
    securityContext: { ...restricted, runAsUser: redisUser },
    volumeMounts: [
      { name: 'data', mountPath: '/data' },
      { name: 'tls', mountPath: certificateFolder, readOnly: true },
    ],
  };
  return [
    manifest('apps/v1', 'Deployment', metadata, {
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: selectorOf(redisName) },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [container],
            volumes: [
              { name: 'data', emptyDir: { sizeLimit: '64Mi' } },
              { name: 'tls', secret: { secretName: certificateSecret(redisName) } },
            ],
          },
        },
      },
    }),
    manifest('v1', 'Service', metadata, {
      spec: { selector: { ...partOf, ...selectorOf(redisName) }, ports },
    }),
  ];
}

function hashVariable(user: string): string {
  return `SHA256_${user.toUpperCase().replaceAll('-', '_')}`;
}

function variable(name: string, key: string): JsonObject {
  return { name, valueFrom: { secretKeyRef: { name: secrets.redis, key } } };
}
