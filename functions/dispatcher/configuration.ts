import Type, { type Static, type TObject } from 'typebox';
import {
  clusterSettings,
  deliveryKeySettings,
  shutdownSettings,
  listenSettings,
  logSettings,
  redisSettings,
  redisUrlPattern,
  redisUrlVariables,
  tracesSetting,
} from '#shared/runtime/process/service-settings.ts';
import { ownMember } from '#shared/domain/own-member.ts';

const queueSettings = {
  redisUrl: Type.String({
    env: [...redisUrlVariables],
    pattern: redisUrlPattern,
    secret: true,
    default: 'redis://127.0.0.1:6379',
    description: 'Where the queue is.',
  }),
  ...redisSettings,
  clusterUid: Type.Optional(
    Type.String({
      env: ['MILLRACE_CLUSTER_UID'],
      pattern: '^[0-9A-Za-z]([-0-9A-Za-z]{0,62}[0-9A-Za-z])?$',
      description:
        'Uid of the namespace kube-system of the cluster whose queue this is. Absent: the API server is asked for it.',
    }),
  ),
  ...clusterSettings,
  ...tracesSetting,
};

const deliverySettings = {
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
};

type Schema = TObject<typeof queueSettings & typeof deliverySettings>;

export type DispatcherSettings = Static<Schema>;

/** The environment of `functions/dispatcher/main.ts`. The URL of each function has its own variable. */
export function dispatcherConfiguration(names: readonly string[]): Schema {
  const urls = names.map((name) => [urlSetting(name), functionUrl(name)] as const);
  return Type.Object({ ...queueSettings, ...Object.fromEntries(urls), ...deliverySettings });
}

/** `MILLRACE_FUNCTION_FLOW_ADVANCE_URL` for `flow-advance`. */
export function urlVariable(name: string): string {
  return `MILLRACE_FUNCTION_${name.toUpperCase().replaceAll('-', '_')}_URL`;
}

function functionUrl(name: string) {
  return Type.String({
    env: [urlVariable(name)],
    pattern: '^https?://',
    description: `Where ${name} takes its events.`,
  });
}

function urlSetting(name: string): string {
  return `url:${name}`;
}

/** The URL of each function, by name. */
export function functionUrls(
  names: readonly string[],
  settings: DispatcherSettings,
): ReadonlyMap<string, URL> {
  const values = settings as Readonly<Record<string, unknown>>;
  return new Map(names.map((name) => [name, new URL(String(ownMember(values, urlSetting(name))))]));
}
