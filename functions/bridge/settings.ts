/** What the bridge is told by its environment. */
import Type, { type Static } from 'typebox';
import {
  listenSettings,
  logSettings,
  redisUrlPattern,
  shutdownSettings,
} from '#shared/runtime/service-settings.ts';

export const bridgeSettings = Type.Object({
  ...logSettings,
  ...listenSettings,
  ...shutdownSettings,
  redisUrl: Type.String({
    env: ['REDIS_URL'],
    secret: true,
    pattern: redisUrlPattern,
    description: 'Queue and journal, as redis:// or rediss:// (TLS).',
  }),
  kubeconfig: Type.Optional(
    Type.String({
      env: ['KUBECONFIG'],
      description: 'Cluster configuration; in a pod the service account serves when it is unset.',
    }),
  ),
  namespace: Type.Optional(
    Type.String({
      env: ['MILLRACE_NAMESPACE'],
      pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
      description:
        'Namespace of the Lease that elects one of several bridges; all publish when it is unset.',
    }),
  ),
  identity: Type.Optional(
    Type.String({
      env: ['HOSTNAME'],
      description: 'Name of this bridge in the Lease; a random part is added.',
    }),
  ),
  sweepSeconds: Type.Integer({
    env: ['MILLRACE_SWEEP_SECONDS'],
    minimum: 1,
    maximum: 3_600,
    default: 30,
    description: 'How often every unfinished object is enqueued again.',
  }),
});

export type BridgeSettings = Static<typeof bridgeSettings>;
