import Type, { type TObject } from 'typebox';
import { policySetting } from '../process/policy-setting.ts';
import { trustSettings } from './trust-settings.ts';
import {
  allowUnsignedSetting,
  clusterSettings,
  deliveryKeySettings,
  shutdownSettings,
  listenSettings,
  logSettings,
  redisSettings,
  redisUrlPattern,
  redisUrlVariables,
  servedNamespaceSetting,
  tracesSetting,
} from '../process/service-settings.ts';
import type { EventFunction } from './event-function.ts';

/** The environment of a function that runs apart. */
export const functionConfiguration = Type.Object({
  ...clusterSettings,
  ...servedNamespaceSetting,
  ...tracesSetting,
  ...listenSettings,
  ...deliveryKeySettings,
  ...allowUnsignedSetting,
  redisUrl: Type.Optional(
    Type.String({
      env: [...redisUrlVariables],
      pattern: redisUrlPattern,
      secret: true,
      description:
        'Where decisions are recorded, and where the views of the bridge are; absent: neither.',
    }),
  ),
  ...redisSettings,
  maxInFlight: Type.Integer({
    env: ['MILLRACE_MAX_IN_FLIGHT'],
    minimum: 1,
    maximum: 10_000,
    default: 64,
    description: 'Events worked on at once; more are answered 503.',
  }),
  ...policySetting,
  ...trustSettings,
  ...shutdownSettings,
  ...logSettings,
});

/** The same with the function's own settings. */
export function configurationOf({
  configurable,
}: Pick<EventFunction, 'configurable'>): typeof functionConfiguration {
  const own: TObject['properties'] = configurable?.schema.properties ?? {};
  return Type.Object({ ...functionConfiguration.properties, ...own });
}
