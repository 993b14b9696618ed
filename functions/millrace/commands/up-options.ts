/** What `millrace up` is started with. */
export interface UpOptions {
  readonly port: number;
  readonly nodes: number;
  readonly persist?: string;
  readonly redis?: string;
  readonly redisInsecure?: boolean;
  readonly speed: number;
  readonly kubeconfigOut?: string;
  readonly headless?: boolean;
  readonly runCommands?: boolean;
  readonly verbose?: boolean;
  readonly color: 'auto' | 'always' | 'never';
  readonly utf8: boolean;
}
