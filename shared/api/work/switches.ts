import type { Switch } from './work-kind.ts';

/** By `spec.suspend`, as a Job. Admission holds a new object so as well. */
export const bySuspend: Switch = {
  stopOf: ({ suspend }) => (suspend === true ? 'everything' : 'nothing'),
  specWith: (stop) => ({ suspend: stop !== 'nothing' }),
};
