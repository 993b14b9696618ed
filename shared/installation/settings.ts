/** The operator's choices at installation. */

/** A value, or a template expression for it (deploy/chart). */
export type Setting<Value> = Value | string;

export interface Scale {
  /** Pods of a Deployment. */
  readonly replicas: Setting<number>;
  /** Least Pods of a Knative Service that never scales to zero, as the text that Knative requires. */
  readonly minScale: string;
  /** Most Pods of a Knative Service. */
  readonly maxScale: string;
  readonly resources: Setting<Resources>;
}

export interface Resources {
  readonly requests: { readonly cpu: string; readonly memory: string };
  readonly limits: { readonly cpu: string; readonly memory: string };
}

/** The authentication of deliveries. */
export interface DeliveryProof {
  /** File with the delivery key (MILLRACE_DELIVERY_KEY_FILE). Empty: no key. */
  readonly keyFile: string;
  /** `true`: functions accept unsigned deliveries. Absent: they do not. */
  readonly allowUnsigned?: string;
}

export interface InstallationSettings {
  readonly namespace: string;
  /** The image of a process by its name. */
  readonly imageOf: (process: string) => string;
  readonly imagePullPolicy: string;
  readonly logLevel: string;
  /** The policy on Pods (MILLRACE_POLICY). */
  readonly policy: string;
  /** Include a Redis without a disk. */
  readonly trialRedis: Setting<boolean>;
  /** Whether a process may lack a Redis user of its own, as with an operator's Redis. */
  readonly ownUrlIsOptional: Setting<boolean>;
  /** Whether the common URL may be missing, as with the included Redis. */
  readonly sharedUrlIsOptional: Setting<boolean>;
  /** Image of that Redis. */
  readonly redisImage: string;
  /** Millrace serves only its own namespace and has rights only there. */
  readonly namespaced: boolean;
  /** Kinds that Kueue manages (MILLRACE_KUEUE_FRAMEWORKS). Absent: the default of suspend-admission. */
  readonly kueueFrameworks?: string;
  /** For functions that an ApiServerSource can send changes to. */
  readonly proofOfWoken: DeliveryProof;
  /** For all other processes that send or receive deliveries. */
  readonly proof: DeliveryProof;
  /** OpenTelemetry collector (OTEL_EXPORTER_OTLP_ENDPOINT). Absent: no spans are sent. */
  readonly otlpEndpoint?: string;
  /** Where changes of state are published (MILLRACE_EVENTS_TO). Absent: nowhere. */
  readonly eventsTo?: string;
  /** `true`: Jobs are created without a recorded submitter (MILLRACE_TRUST_NAMESPACES). Absent: they are not. */
  readonly trustNamespaces?: string;
  /** cert-manager creates the certificates instead of credentials. */
  readonly certManager: Setting<boolean>;
  /** Address of this version's runbook, without an anchor. Alerts link to its sections. */
  readonly runbookUrl: string;
  readonly scaleOf: (process: string) => Scale;
  /** Optional fields of every Pod of a Deployment, by name. */
  readonly podFields: Readonly<Record<string, string>>;
}
