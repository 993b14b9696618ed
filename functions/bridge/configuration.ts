import Type, { type Static } from 'typebox';
import {
  clusterSettings,
  deliveryKeySettings,
  listenSettings,
  logSettings,
  redisSettings,
  redisUrlPattern,
  redisUrlVariables,
  servedNamespaceSetting,
  tracesSetting,
  shutdownSettings,
} from '#shared/runtime/process/service-settings.ts';
import { sinkSettings } from './sink-settings.ts';

/** The environment of `functions/bridge/main.ts`. */
export const configuration = Type.Object({
  redisUrl: Type.String({
    env: [...redisUrlVariables],
    pattern: redisUrlPattern,
    secret: true,
    default: 'redis://127.0.0.1:6379',
    description: 'Where journal and views are, and the queue unless a sink takes its place.',
  }),
  ...redisSettings,
  ...sinkSettings,
  ...deliveryKeySettings,
  ...clusterSettings,
  ...servedNamespaceSetting,
  ...tracesSetting,
  leaseNamespace: Type.Optional(
    Type.String({
      env: ['MILLRACE_NAMESPACE'],
      pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
      description:
        'Namespace of the Lease that elects one of several bridges. Absent: each of them publishes, which is right too, but double work.',
    }),
  ),
  identity: Type.String({
    env: ['HOSTNAME'],
    default: 'bridge',
    description: 'Name of this bridge in the Lease; a random part is added.',
  }),
  sweepSeconds: Type.Integer({
    env: ['MILLRACE_SWEEP_SECONDS'],
    minimum: 1,
    maximum: 3_600,
    default: 30,
    description: 'How often every unfinished object is enqueued again.',
  }),
  ...listenSettings,
  ...shutdownSettings,
  ...logSettings,
});

export type BridgeSettings = Static<typeof configuration>;
