import Type, { type Static } from 'typebox';
import { functionNames } from '#shared/events/routes.ts';
import {
  clusterSettings,
  deliveryKeySettings,
  shutdownSettings,
  listenSettings,
  logSettings,
  redisInsecureSetting,
  redisUrlPattern,
} from '#shared/runtime/service-settings.ts';

/** The environment of `functions/dispatcher/main.ts`; each function's URL has its own variable. */
export const configuration = Type.Object({
  redisUrl: Type.String({
    env: ['REDIS_URL'],
    pattern: redisUrlPattern,
    secret: true,
    default: 'redis://127.0.0.1:6379',
    description: 'Where the queue is.',
  }),
  ...redisInsecureSetting,
  clusterUid: Type.Optional(
    Type.String({
      env: ['MILLRACE_CLUSTER_UID'],
      pattern: '^[0-9A-Za-z]([-0-9A-Za-z]{0,62}[0-9A-Za-z])?$',
      description:
        'Uid of the namespace kube-system of the cluster whose queue this is. Absent: the API server is asked for it.',
    }),
  ),
  ...clusterSettings,
  ...Object.fromEntries(functionNames.map((name) => [urlSetting(name), functionUrl(name)])),
  concurrency: Type.Integer({
    env: ['MILLRACE_CONCURRENCY'],
    minimum: 1,
    maximum: 1_000,
    default: 16,
    description: 'Deliveries under way at once, per function.',
  }),
  deliverySeconds: Type.Integer({
    env: ['MILLRACE_DELIVERY_SECONDS'],
    minimum: 1,
    maximum: 300,
    default: 30,
    description: 'Longest time for one delivery.',
  }),
  ...deliveryKeySettings,
  ...listenSettings,
  ...shutdownSettings,
  ...logSettings,
});

export type DispatcherSettings = Static<typeof configuration>;

/** `MILLRACE_FUNCTION_FLOW_ADVANCE_URL` for `flow-advance`. */
function functionUrl(name: string) {
  const variable = name.toUpperCase().replaceAll('-', '_');
  return Type.String({
    env: [`MILLRACE_FUNCTION_${variable}_URL`],
    pattern: '^https?://',
    description: `Where ${name} takes its events.`,
  });
}

function urlSetting(name: string): string {
  return `url:${name}`;
}

/** The URL of each function by its name. */
export function functionUrls(settings: DispatcherSettings): ReadonlyMap<string, URL> {
  const values = settings as Readonly<Record<string, unknown>>;
  return new Map(functionNames.map((name) => [name, new URL(String(values[urlSetting(name)]))]));
}
