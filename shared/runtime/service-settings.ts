/** Settings that every process of the house shares; spread into its schema. */
import Type from 'typebox';

export const logSettings = {
  logLevel: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    env: ['MILLRACE_LOG_LEVEL', 'FUNC_LOG_LEVEL'],
    default: 'info',
    description: 'Least severe level that is logged.',
  }),
  logFormat: Type.Enum(['auto', 'json', 'pretty'], {
    env: ['MILLRACE_LOG_FORMAT'],
    default: 'auto',
    description: 'auto: for people on a terminal, JSON otherwise.',
  }),
} as const;

export const listenSettings = {
  host: Type.String({
    env: ['MILLRACE_HOST'],
    default: '::',
    description: 'Address to listen on; :: is every address, of IPv4 too.',
  }),
  port: Type.Integer({
    env: ['PORT', 'FUNC_PORT'],
    minimum: 0,
    maximum: 65_535,
    default: 8080,
    description: 'Port to listen on; 0 picks a free one, which the log names.',
  }),
} as const;

export const shutdownSettings = {
  drainSeconds: Type.Integer({
    env: ['MILLRACE_DRAIN_SECONDS'],
    minimum: 0,
    maximum: 600,
    default: 25,
    description: 'How long work under way may take to finish after SIGTERM.',
  }),
} as const;

export const clusterSettings = {
  kubeconfig: Type.Optional(
    Type.String({
      env: ['KUBECONFIG'],
      description: 'Cluster configuration; absent: the service account of the pod, ~/.kube/config.',
    }),
  ),
  serviceHost: Type.Optional(
    Type.String({
      env: ['KUBERNETES_SERVICE_HOST'],
      description: 'Set by Kubernetes in a pod.',
    }),
  ),
  servicePort: Type.Optional(
    Type.String({ env: ['KUBERNETES_SERVICE_PORT'], description: 'Set by Kubernetes in a pod.' }),
  ),
} as const;

export const redisUrlPattern = '^rediss?://';
