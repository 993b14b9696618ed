import type { ConfirmOptions } from '../terminal/confirm.ts';

export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
}

export interface InstallOptions extends ClusterOptions {
  readonly knative?: boolean;
  /** The cluster has Kueue, whose manager gets the right to read Millrace's kinds. */
  readonly kueue?: boolean;
  /** Serves only the namespace of the installation, and has rights in no other. */
  readonly namespaced?: boolean;
  readonly imagePrefix?: string;
  readonly certManager?: boolean;
  /** The Secret millrace-redis exists already, and no Redis is installed. */
  readonly externalRedis?: boolean;
  readonly dryRun?: boolean;
  readonly output?: 'text' | 'yaml';
  /** False: return before the Pods are ready. */
  readonly wait: boolean;
  /** Seconds. */
  readonly timeout: number;
}

export interface UninstallOptions extends ClusterOptions, ConfirmOptions {
  /** Also deletes the kinds, and with them all their objects. */
  readonly deleteObjects?: boolean;
  readonly dryRun?: boolean;
}
