export interface SchedulePreviewOptions {
  readonly from?: string;
  readonly to?: string;
  readonly output: 'text' | 'week' | 'json';
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}
