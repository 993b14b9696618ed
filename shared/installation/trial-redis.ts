/**
 * A Redis to try Millrace with: one Pod, no disk, no TLS. What it loses is found again; while it is away
 * nothing moves.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { restricted } from './container.ts';
import { manifest, partOf, secrets, selectorOf } from './names.ts';
import type { InstallationSettings } from './settings.ts';

export const redisName = 'redis';
export const redisPort = 6379;

/** Of the official image. */
const redisUser = 999;

export function trialRedis({
  namespace,
  redisImage,
  imagePullPolicy,
}: InstallationSettings): readonly JsonObject[] {
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
      // An evicted key would be a lost wake-up.
      ...['--maxmemory', '192mb', '--maxmemory-policy', 'noeviction'],
      ...['--requirepass', '$(REDIS_PASSWORD)'],
    ],
    env: [
      {
        name: 'REDIS_PASSWORD',
        valueFrom: { secretKeyRef: { name: secrets.redis, key: 'password' } },
      },
    ],
    ports: [{ name: redisName, containerPort: redisPort }],
    readinessProbe: probe,
    livenessProbe: { ...probe, periodSeconds: 10, failureThreshold: 6 },
    resources: {
      requests: { cpu: '50m', memory: '64Mi' },
      limits: { cpu: '1', memory: '256Mi' },
    },
    securityContext: { ...restricted, runAsUser: redisUser },
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
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
            volumes: [{ name: 'data', emptyDir: { sizeLimit: '64Mi' } }],
          },
        },
      },
    }),
    manifest('v1', 'Service', metadata, {
      spec: { selector: { ...partOf, ...selectorOf(redisName) }, ports },
    }),
  ];
}
