/** The API server's defaults. A reader that may see an object without them uses the same values. */
export const daemonJobDefaults = {
  failurePolicy: 'Continue',
  completionPolicy: 'Always',
  eligibility: 'Fitting',
  allowEmpty: false,
  suspend: false,
  paused: false,
} as const;

/** Fields of a DaemonJob's spec that are frozen once it has started. */
export const frozenDaemonJobFields = [
  'globalParams',
  'template',
  'backoffLimit',
  'podFailurePolicy',
  'podReplacementPolicy',
  'eligibility',
  'completionPolicy',
] as const;
