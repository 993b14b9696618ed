/** The container of a process: its security context, settings and probes. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { type DeclaredProcess, reads } from './declared-process.ts';
import { certificateSecret, redisKeys, reviewTokenKey, secrets } from './names.ts';
import type { InstallationSettings, Setting } from './settings.ts';

/** Restricted Pod Security, set on the container because Knative accepts it only there. */
export const restricted: JsonObject = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: 65_532,
  seccompProfile: { type: 'RuntimeDefault' },
};

export const containerPort = 8080;

interface MountedSecret {
  readonly volume: string;
  readonly secret: string;
  readonly path: string;
  /** Absent: all keys. */
  readonly keys?: readonly string[];
  readonly optional?: Setting<boolean>;
}

/** Where functions are: the delivering process gets each address. */
export interface Addresses {
  /** The variable for a function's address, by the function's name. */
  readonly urlVariableOf: (name: string) => string;
  readonly functions: readonly string[];
  /** Processes that the API server calls. */
  readonly admissions: readonly string[];
  /** Processes that are users of Redis. */
  readonly redisUsers: readonly string[];
}

/** Where a process is hosted: Knative supports less than a Deployment. */
export type Host = 'deployment' | 'knative';

export function containerOf(
  process: DeclaredProcess,
  settings: InstallationSettings,
  addresses: Addresses,
  host: Host,
): JsonObject {
  const mounted = secretsOf(process, settings);
  return {
    name: process.name,
    image: settings.imageOf(process.name),
    imagePullPolicy: settings.imagePullPolicy,
    ports: [{ containerPort, ...(host === 'deployment' ? { name: portName(process) } : {}) }],
    env: environmentOf(process, settings, addresses),
    ...probesOf(process, host),
    resources: settings.scaleOf(process.name).resources as Json,
    securityContext: restricted,
    ...(mounted.length === 0
      ? {}
      : {
          volumeMounts: mounted.map(({ volume, path }) => ({
            name: volume,
            mountPath: path,
            readOnly: true,
          })),
        }),
  };
}

/** The port's name gives its protocol. */
export function portName({ part }: Pick<DeclaredProcess, 'part'>): string {
  return part === 'admission' ? 'https' : 'http';
}

export function volumesOf(
  process: DeclaredProcess,
  settings: InstallationSettings,
): readonly JsonObject[] {
  return secretsOf(process, settings).map(({ volume, secret, keys, optional }) => ({
    name: volume,
    secret: {
      secretName: secret,
      ...(keys === undefined ? {} : { items: keys.map((key) => ({ key, path: key })) }),
      ...(optional === undefined ? {} : { optional }),
    },
  }));
}

const deliveryKeyVariable = 'MILLRACE_DELIVERY_KEY_FILE';
const reviewTokenVariable = 'MILLRACE_REVIEW_TOKEN_FILE';
const redisCaVariable = 'MILLRACE_REDIS_CA_FILE';

function secretsOf(
  process: DeclaredProcess,
  { ownUrlIsOptional }: InstallationSettings,
): readonly MountedSecret[] {
  const delivery = { volume: 'delivery', secret: secrets.delivery, path: '/etc/millrace/delivery' };
  const tls = {
    volume: 'tls',
    secret: certificateSecret(process.name),
    path: '/etc/millrace/tls',
  };
  const reviews = {
    volume: 'reviews',
    secret: secrets.reviews,
    path: '/etc/millrace/reviews',
    keys: [reviewTokenKey],
  };
  const redis = {
    volume: 'redis',
    secret: secrets.redis,
    path: '/etc/millrace/redis',
    keys: [redisKeys.authorities],
    // A publicly trusted certificate needs no CA file.
    optional: ownUrlIsOptional,
  };
  return [
    ...(reads(process, redisCaVariable) ? [redis] : []),
    ...(reads(process, deliveryKeyVariable) ? [delivery] : []),
    ...(process.part === 'admission' ? [tls] : []),
    ...(reads(process, reviewTokenVariable) ? [reviews] : []),
  ];
}

function environmentOf(
  process: DeclaredProcess,
  settings: InstallationSettings,
  addresses: Addresses,
): readonly JsonObject[] {
  const ownNamespace = { valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } };
  const inRedisSecret = (key: string, optional: Json): JsonObject => ({
    valueFrom: { secretKeyRef: { name: secrets.redis, key, optional } },
  });
  const said = (value: Json): JsonObject => ({ value });
  const {
    namespaced,
    kueueFrameworks,
    otlpEndpoint,
    eventsTo,
    proof,
    proofOfWoken,
    trustNamespaces,
  } = settings;
  const isWoken = (process.wokenBy ?? []).length > 0;
  const { keyFile, allowUnsigned } = isWoken ? proofOfWoken : proof;
  const values: readonly (readonly [string, JsonObject])[] = [
    // Every address, because the Pod's own is not known in advance.
    ['MILLRACE_HOST', said('::')],
    ['MILLRACE_LOG_LEVEL', said(settings.logLevel)],
    ['MILLRACE_LOG_FORMAT', said('json')],
    ['MILLRACE_NAMESPACE', ownNamespace],
    ['MILLRACE_REDIS_URL', inRedisSecret(redisKeys.urlOf(process.name), settings.ownUrlIsOptional)],
    ['REDIS_URL', inRedisSecret(redisKeys.url, settings.sharedUrlIsOptional)],
    [redisCaVariable, said(`/etc/millrace/redis/${redisKeys.authorities}`)],
    [deliveryKeyVariable, said(keyFile)],
    ['MILLRACE_TLS_CERT_FILE', said('/etc/millrace/tls/tls.crt')],
    ['MILLRACE_TLS_KEY_FILE', said('/etc/millrace/tls/tls.key')],
    [reviewTokenVariable, said(`/etc/millrace/reviews/${reviewTokenKey}`)],
    ['MILLRACE_POLICY', said(settings.policy)],
    ...(kueueFrameworks === undefined
      ? []
      : [['MILLRACE_KUEUE_FRAMEWORKS', said(kueueFrameworks)] as const]),
    ['MILLRACE_ADMISSIONS', said(addresses.admissions.join(','))],
    ['MILLRACE_TRIAL_REDIS', said(textOf(settings.trialRedis))],
    ['MILLRACE_REDIS_USERS', said(addresses.redisUsers.join(','))],
    ['MILLRACE_CERT_MANAGER', said(textOf(settings.certManager))],
  ];
  const added: readonly (readonly [string, JsonObject])[] = [
    ...(namespaced ? [['MILLRACE_SERVED_NAMESPACE', ownNamespace] as const] : []),
    ...(otlpEndpoint === undefined
      ? []
      : [['OTEL_EXPORTER_OTLP_ENDPOINT', said(otlpEndpoint)] as const]),
    ...(eventsTo === undefined ? [] : [['MILLRACE_EVENTS_TO', said(eventsTo)] as const]),
    ...(trustNamespaces !== undefined
      ? [['MILLRACE_TRUST_NAMESPACES', said(trustNamespaces)] as const]
      : []),
    ...(allowUnsigned !== undefined
      ? [['MILLRACE_ALLOW_UNSIGNED', said(allowUnsigned)] as const]
      : []),
  ];
  const named = ([name, value]: readonly [string, JsonObject]): JsonObject => ({ name, ...value });
  return [
    ...values.filter(([name]) => reads(process, name)).map(named),
    ...addressesFor(process, addresses),
    // At the end, where kustomize overlays and components add them.
    ...added.filter(([name]) => reads(process, name)).map(named),
  ];
}

/** Full names, because an ingress of Knative routes by them. */
function addressesFor(
  process: DeclaredProcess,
  { functions, urlVariableOf }: Addresses,
): readonly JsonObject[] {
  const reached = functions.filter((name) => reads(process, urlVariableOf(name)));
  if (reached.length === 0) return [];
  return [
    { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    ...reached.map((name) => ({
      name: urlVariableOf(name),
      value: `http://${name}.$(POD_NAMESPACE).svc`,
    })),
  ];
}

/** Template expressions are kept unchanged; they must render a text. */
function textOf(setting: boolean | string): string {
  return String(setting);
}

function probesOf(process: DeclaredProcess, host: Host): JsonObject {
  const isSecure = process.part === 'admission';
  if (host === 'knative') {
    // The queue proxy makes the probe and does not speak TLS. A period of one second keeps a cold
    // start short.
    const probe = isSecure
      ? { tcpSocket: { port: containerPort } }
      : { httpGet: { path: '/health/readiness', port: containerPort } };
    return { readinessProbe: { ...probe, periodSeconds: 1 } };
  }
  const get = (path: string): JsonObject => ({
    path,
    port: portName(process),
    ...(isSecure ? { scheme: 'HTTPS' } : {}),
  });
  return {
    readinessProbe: { httpGet: get('/health/readiness'), periodSeconds: 5 },
    livenessProbe: {
      httpGet: get('/health/liveness'),
      initialDelaySeconds: 10,
      periodSeconds: 10,
      failureThreshold: 6,
    },
  };
}
