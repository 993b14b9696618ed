import type { ConfirmOptions } from '../terminal/confirm.ts';

export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
}

export interface InstallOptions extends ClusterOptions {
  readonly knative?: boolean;
  /** Beside a Kueue, whose manager may read the kinds of Millrace. */
  readonly kueue?: boolean;
  /** Serves the namespace that it is installed in, and has rights in no other. */
  readonly namespaced?: boolean;
  readonly imagePrefix?: string;
  readonly certManager?: boolean;
  /** The Secret millrace-redis is there already; no Redis comes along. */
  readonly externalRedis?: boolean;
  readonly dryRun?: boolean;
  readonly output?: 'text' | 'yaml';
  /** False: return before the Pods are ready. */
  readonly wait: boolean;
  /** Seconds. */
  readonly timeout: number;
}

export interface UninstallOptions extends ClusterOptions, ConfirmOptions {
  /** The kinds as well, and with them every object of theirs. */
  readonly deleteObjects?: boolean;
  readonly dryRun?: boolean;
}
