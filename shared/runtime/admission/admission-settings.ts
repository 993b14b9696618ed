import Type from 'typebox';
import {
  clusterSettings,
  listenSettings,
  logSettings,
  redisSettings,
  redisUrlPattern,
  redisUrlVariables,
  servedNamespaceSetting,
  shutdownSettings,
} from '../process/service-settings.ts';

/** The environment settings of every admission process; spread into its schema. */
export const admissionSettings = {
  ...clusterSettings,
  ...servedNamespaceSetting,
  ...listenSettings,
  certFile: Type.String({
    env: ['MILLRACE_TLS_CERT_FILE'],
    description:
      'Certificate of the server, PEM, which the API server trusts by the caBundle of the webhook; it is read again every 5 s.',
  }),
  keyFile: Type.String({
    env: ['MILLRACE_TLS_KEY_FILE'],
    description: 'Its private key, PEM.',
  }),
  reviewTokenFile: Type.String({
    env: ['MILLRACE_REVIEW_TOKEN_FILE'],
    description:
      'File with the token that is the first part of the path of reviews, which the API server knows from the webhook configuration: 32 to 128 lower-case letters and digits; several, separated by blanks, while one replaces another. It is read again every 5 s.',
  }),
  redisUrl: Type.Optional(
    Type.String({
      env: [...redisUrlVariables],
      pattern: redisUrlPattern,
      secret: true,
      description:
        'Where reviews are recorded once they are answered; absent: they are not. No answer waits for it.',
    }),
  ),
  ...redisSettings,
  ...shutdownSettings,
  ...logSettings,
} as const;
