/** Defaults of Pods and Pod templates (pkg/apis/core/v1/defaults.go). */

export interface Port {
  readonly name?: string;
  readonly containerPort?: number;
  readonly protocol?: string;
}
export interface EnvVar {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef?: { readonly apiVersion?: string } };
}
interface Handler {
  readonly httpGet?: { readonly path?: string; readonly scheme?: string };
  readonly grpc?: { readonly service?: string };
}
interface Probe extends Handler {
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
}
export interface Resources {
  readonly limits?: Readonly<Record<string, string | number>>;
  readonly requests?: Readonly<Record<string, string | number>>;
}

export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
  readonly resources?: Resources;
  readonly ports?: readonly Port[];
  readonly env?: readonly EnvVar[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly volumeMounts?: readonly {
    readonly name?: string;
    readonly mountPath?: string;
    readonly subPath?: string;
  }[];
}

export interface Volume {
  readonly name?: string;
  readonly [source: string]: unknown;
}

export interface PodSpec {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly nodeName?: string;
  readonly [field: string]: unknown;
}

/** Defaults that Pods and the templates of Jobs share. Each has more of its own. */
export function withPodSpecDefaults(spec: PodSpec): PodSpec {
  const { containers, initContainers, volumes, serviceAccountName, serviceAccount } = spec;
  const account = serviceAccountName ?? serviceAccount;
  return {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...spec,
    ...(account === undefined ? {} : { serviceAccountName: account, serviceAccount: account }),
    ...(containers === undefined ? {} : { containers: containers.map(withContainerDefaults) }),
    ...(initContainers === undefined
      ? {}
      : { initContainers: initContainers.map(withContainerDefaults) }),
    ...(volumes === undefined ? {} : { volumes: volumes.map(withVolumeDefaults) }),
  };
}

function withContainerDefaults(container: Container): Container {
  const {
    image = '',
    ports,
    env,
    resources = {},
    livenessProbe,
    readinessProbe,
    startupProbe,
  } = container;
  return {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: isLatest(image) ? 'Always' : 'IfNotPresent',
    ...container,
    resources: withRequests(resources),
    ...(ports === undefined ? {} : { ports: ports.map((port) => ({ protocol: 'TCP', ...port })) }),
    ...(env === undefined ? {} : { env: env.map(withFieldVersion) }),
    ...(livenessProbe === undefined ? {} : { livenessProbe: withProbeDefaults(livenessProbe) }),
    ...(readinessProbe === undefined ? {} : { readinessProbe: withProbeDefaults(readinessProbe) }),
    ...(startupProbe === undefined ? {} : { startupProbe: withProbeDefaults(startupProbe) }),
  };
}

function isLatest(image: string): boolean {
  if (image.includes('@')) return false;
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest';
}

/** A limit without a request is the request as well. */
function withRequests(resources: Resources): Resources {
  const { limits, requests } = resources;
  if (limits === undefined) return resources;
  return { ...resources, requests: { ...limits, ...requests } };
}

function withFieldVersion(variable: EnvVar): EnvVar {
  const fieldRef = variable.valueFrom?.fieldRef;
  if (fieldRef === undefined || fieldRef.apiVersion !== undefined) return variable;
  return {
    ...variable,
    valueFrom: { ...variable.valueFrom, fieldRef: { apiVersion: 'v1', ...fieldRef } },
  };
}

function withProbeDefaults(probe: Probe): Probe {
  const { httpGet, grpc } = probe;
  return {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
    ...probe,
    ...(httpGet === undefined ? {} : { httpGet: { path: '/', scheme: 'HTTP', ...httpGet } }),
    ...(grpc === undefined ? {} : { grpc: { service: '', ...grpc } }),
  };
}

const defaultMode = 0o644;

const sources: Readonly<Record<string, (source: object) => object>> = {
  hostPath: (source) => ({ type: '', ...source }),
  configMap: (source) => ({ defaultMode, ...source }),
  secret: (source) => ({ defaultMode, ...source }),
  downwardAPI: (source) => ({ defaultMode, ...withItemVersions(source) }),
  projected: (source) => ({ defaultMode, ...source }),
};

function withItemVersions(source: { readonly items?: readonly object[] }): object {
  const { items } = source;
  if (items === undefined) return source;
  return {
    ...source,
    items: items.map((item: { readonly fieldRef?: object }) =>
      item.fieldRef === undefined
        ? item
        : { ...item, fieldRef: { apiVersion: 'v1', ...item.fieldRef } },
    ),
  };
}

/** A volume without a source is an empty folder. */
function withVolumeDefaults(volume: Volume): Volume {
  if (Object.keys(volume).length < 2) return { ...volume, emptyDir: {} };
  const found = Object.keys(sources).find((name) => name in volume);
  if (found === undefined) return volume;
  return { ...volume, [found]: sources[found]?.(volume[found] as object) };
}
