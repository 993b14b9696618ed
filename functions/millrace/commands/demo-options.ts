/** Options of `millrace demo`. */
export interface DemoOptions {
  readonly fail?: string;
  readonly cluster?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly timeout: number;
  readonly color: 'auto' | 'always' | 'never';
  readonly utf8: boolean;
  readonly verbose?: boolean;
}
