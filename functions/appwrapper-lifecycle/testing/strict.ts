/** As in upstream's unit tests: a failure counts at once. */
export const strict = {
  failureGracePeriodDuration: '0s',
  retryPausePeriodDuration: '0s',
  retryLimit: '0',
};
export const second = 1_000;
export const minute = 60 * second;
