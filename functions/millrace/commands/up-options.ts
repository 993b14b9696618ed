import type { PodPolicy } from '#shared/policy/pod-policy.ts';

/** What `millrace up` is started with. */
export interface UpOptions {
  readonly port: number;
  /** How many, or their names. */
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
