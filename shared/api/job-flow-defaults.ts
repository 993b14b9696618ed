/** The API server's defaults. A reader that may see an object without them uses the same values. */
export const jobFlowDefaults = {
  nodeBinding: 'Affinity',
  failurePolicy: 'ContinueIndependent',
  suspend: false,
  suspendMode: 'StopRunning',
  templatePolicy: 'PinAtStart',
  startOn: 'Complete',
  retryPolicy: { limit: 0, backoffSeconds: 10, factor: 2, capSeconds: 300 },
} as const;
