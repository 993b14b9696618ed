import Type, { type Static } from 'typebox';
import {
  clusterSettings,
  listenSettings,
  logSettings,
  shutdownSettings,
} from '#shared/runtime/process/service-settings.ts';

/** The environment of `functions/credentials/main.ts`. */
export const credentialsConfiguration = Type.Object({
  ...clusterSettings,
  namespace: Type.String({
    env: ['MILLRACE_NAMESPACE'],
    pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
    description: 'Namespace of the processes, and of the Secrets that are made for them.',
  }),
  admissions: Type.String({
    env: ['MILLRACE_ADMISSIONS'],
    default: '',
    pattern: '^[-a-z0-9,]*$',
    description:
      'Processes that the API server calls, comma-separated: each needs a certificate, and its webhooks the secret path of reviews.',
  }),
  certManager: Type.Boolean({
    env: ['MILLRACE_CERT_MANAGER'],
    default: false,
    description: 'cert-manager makes the certificates; none is made here.',
  }),
  trialRedis: Type.Boolean({
    env: ['MILLRACE_TRIAL_REDIS'],
    default: false,
    description:
      'Make a certificate for the bundled Redis and passwords for its users, unless they exist.',
  }),
  redisUsers: Type.String({
    env: ['MILLRACE_REDIS_USERS'],
    default: '',
    pattern: '^[-a-z0-9,]*$',
    description: 'Users of the bundled Redis, comma-separated: each needs a password.',
  }),
  ...listenSettings,
  ...shutdownSettings,
  ...logSettings,
});

export type CredentialsSettings = Static<typeof credentialsConfiguration>;
