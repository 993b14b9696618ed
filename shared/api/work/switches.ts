import type { Switch } from './work-kind.ts';

/** By `spec.suspend`, as a Job. Admission uses it for new objects too. */
export const bySuspend: Switch = {
  stopOf: ({ suspend }) => (suspend === true ? 'everything' : 'nothing'),
  specWith: (stop) => ({ suspend: stop !== 'nothing' }),
};
