import type { PodPolicy } from '#shared/policy/pod-policy.ts';

/** Options of `millrace run`. */
export interface RunOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly redis: string;
  readonly redisInsecure?: boolean;
  readonly namespace?: string;
  readonly concurrency: number;
  readonly port: number;
  readonly leaseNamespace?: string;
  readonly logFormat?: string;
  readonly webhooks: boolean;
  readonly policy?: PodPolicy;
  readonly eventsTo?: URL;
  readonly verbose?: boolean;
}
