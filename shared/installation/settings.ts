/** What an operator may choose at the installation. */

/** A value, or words of a template in its place (deploy/chart). */
export type Setting<Value> = Value | string;

export interface Scale {
  /** Pods of a Deployment. */
  readonly replicas: Setting<number>;
  /** The least Pods of a Knative Service that never scales to nothing, as Knative wants it: a text. */
  readonly minScale: string;
  /** The most Pods of a Knative Service. */
  readonly maxScale: string;
  readonly resources: Setting<Resources>;
}

export interface Resources {
  readonly requests: { readonly cpu: string; readonly memory: string };
  readonly limits: { readonly cpu: string; readonly memory: string };
}

/** How deliveries are proven. */
export interface DeliveryProof {
  /** File with the delivery key (MILLRACE_DELIVERY_KEY_FILE); empty: there is none. */
  readonly keyFile: string;
  /** Functions take what nobody signs: `true`. Absent: they do not. */
  readonly allowUnsigned?: string;
}

export interface InstallationSettings {
  readonly namespace: string;
  /** The image of a process, by its name. */
  readonly imageOf: (process: string) => string;
  readonly imagePullPolicy: string;
  readonly logLevel: string;
  /** The policy on Pods (MILLRACE_POLICY). */
  readonly policy: string;
  /** A Redis comes along, without a disk. */
  readonly trialRedis: Setting<boolean>;
  /** Whether a process may do without a Redis user of its own, as with a Redis of the operator's. */
  readonly ownUrlIsOptional: Setting<boolean>;
  /** Nothing says one URL for all processes: with the Redis that comes along. */
  readonly sharedUrlIsOptional: Setting<boolean>;
  /** Image of that Redis. */
  readonly redisImage: string;
  /** Its own namespace is the only one that Millrace serves, and has rights in. */
  readonly namespaced: boolean;
  /** Kinds that Kueue manages (MILLRACE_KUEUE_FRAMEWORKS). Absent: those that suspend-admission takes for granted. */
  readonly kueueFrameworks?: string;
  /** Of functions to which an ApiServerSource can send changes. */
  readonly proofOfWoken: DeliveryProof;
  /** Of all others that take or make deliveries. */
  readonly proof: DeliveryProof;
  /** Collector of OpenTelemetry (OTEL_EXPORTER_OTLP_ENDPOINT). Absent: nobody sends spans. */
  readonly otlpEndpoint?: string;
  /** Where changes of state are told (MILLRACE_EVENTS_TO). Absent: nowhere. */
  readonly eventsTo?: string;
  /** Jobs are created without a recorded submitter (MILLRACE_TRUST_NAMESPACES): `true`. Absent: they are not. */
  readonly trustNamespaces?: string;
  /** cert-manager makes the certificates, and credentials makes none. */
  readonly certManager: Setting<boolean>;
  /** Where the runbook of this version can be read, without an anchor; alerts link to its sections. */
  readonly runbookUrl: string;
  readonly scaleOf: (process: string) => Scale;
  /** Fields of every Pod of a Deployment that are there when they are set, by their names. */
  readonly podFields: Readonly<Record<string, string>>;
}
