import type { PodPolicy } from '#shared/policy/pod-policy.ts';

/** Options of `millrace up`. */
export interface UpOptions {
  readonly port: number;
  /** Number or names of the nodes. */
  readonly nodes: number | readonly string[];
  readonly persist?: string;
  readonly redis?: string;
  readonly redisInsecure?: boolean;
  readonly speed: number;
  readonly kubeconfigOut?: string;
  readonly headless?: boolean;
  readonly runCommands?: boolean;
  readonly kueue?: boolean;
  readonly webhooks: boolean;
  readonly policy?: PodPolicy;
  readonly eventsTo?: URL;
  readonly verbose?: boolean;
  readonly color: 'auto' | 'always' | 'never';
  readonly utf8: boolean;
}
