/** Settings of every process; spread into its schema. */
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
    default: '127.0.0.1',
    description:
      'Address to listen on. The default is reached from this machine only; :: is every address, of IPv4 too, as containers need it.',
  }),
  port: Type.Integer({
    env: ['PORT', 'FUNC_PORT'],
    minimum: 0,
    maximum: 65_535,
    default: 8080,
    description: 'Port to listen on; 0 picks a free one, which the log names.',
  }),
} as const;

/** For senders and receivers of deliveries. */
export const deliveryKeySettings = {
  deliveryKey: Type.Optional(
    Type.String({
      env: ['MILLRACE_DELIVERY_KEY'],
      secret: true,
      description:
        'Key that signs deliveries, and from which the keys are derived that seal the views that the bridge keeps for functions and the JobTemplates that flow-advance pins in the status of a flow: whsec_ and 24 to 64 bytes in base64; two, separated by a blank, while one replaces the other.',
    }),
  ),
  deliveryKeyFile: Type.Optional(
    Type.String({
      env: ['MILLRACE_DELIVERY_KEY_FILE'],
      description: 'File with the key instead; it is read again every 5 s.',
    }),
  ),
} as const;

export const allowUnsignedSetting = {
  allowUnsigned: Type.Boolean({
    env: ['MILLRACE_ALLOW_UNSIGNED'],
    default: false,
    description:
      'Take unsigned events from other machines too, where no delivery key is set: for brokers and triggers of Knative, which cannot sign, behind a NetworkPolicy.',
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

/** For processes that an event passes through. */
export const tracesSetting = {
  otlpEndpoint: Type.Optional(
    Type.String({
      env: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
      pattern: '^https?://',
      description:
        'Collector of OpenTelemetry that spans are sent to, by OTLP over HTTP with JSON (POST to /v1/traces below it). Absent: there are none.',
    }),
  ),
} as const;

/** For processes that read users' objects. */
export const servedNamespaceSetting = {
  servedNamespace: Type.Optional(
    Type.String({
      env: ['MILLRACE_SERVED_NAMESPACE'],
      pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
      description:
        'Serves the objects of this namespace only, and reads no others. Absent: those of all.',
    }),
  ),
} as const;

export const redisUrlPattern = '^rediss?://';

/** For processes that connect to Redis, besides its URL. */
export const redisSettings = {
  redisInsecure: Type.Boolean({
    env: ['MILLRACE_REDIS_INSECURE'],
    default: false,
    description:
      'Reach a Redis on another machine without TLS, because the network protects the connection.',
  }),
  redisCaFile: Type.Optional(
    Type.String({
      env: ['MILLRACE_REDIS_CA_FILE'],
      description:
        'File with the authorities that the certificate of a Redis with a rediss:// URL may come from, PEM; each connection reads it. Absent, or where there is no such file: those that Node knows.',
    }),
  ),
} as const;

/** Variables for the URL of Redis: the process's own wins over the common one. */
export const redisUrlVariables = ['MILLRACE_REDIS_URL', 'REDIS_URL'] as const;
