/** How an object of each kind that policies govern says whether it is held, and how it is told to be. */
import type { JsonObject } from '#shared/domain/objects.ts';

export type GovernedKind = 'Job' | 'JobFlow' | 'DaemonJob' | 'LocalQueue';

/** What of an object is stopped. `starts`: what runs goes on, and nothing more of it starts. */
export type Stop = 'nothing' | 'starts' | 'everything';

export interface Switch {
  readonly stopOf: (spec: JsonObject) => Stop;
  /** The part of a patch on `spec` that stops so much of it. */
  readonly specWith: (stop: Stop) => JsonObject;
  /** It knows `starts`: while work may finish, it is held so at once. */
  readonly letsFinish: boolean;
  /** Written only as it was read: what somebody has set meanwhile would be lost otherwise. */
  readonly asRead: boolean;
  /** What serves it need not be installed. */
  readonly isOptional: boolean;
}

const bySuspend: Switch = {
  stopOf: ({ suspend }) => (suspend === true ? 'everything' : 'nothing'),
  specWith: (stop) => ({ suspend: stop !== 'nothing' }),
  letsFinish: false,
  asRead: false,
  isOptional: false,
};

/** Kueue's words (apis/kueue/v1beta2/localqueue_types.go, StopPolicy). */
const stopPolicies = { nothing: 'None', starts: 'Hold', everything: 'HoldAndDrain' } as const;

/** One write for all that is in the queue; Kueue does the rest. */
const byStopPolicy: Switch = {
  stopOf: ({ stopPolicy }) =>
    stopPolicy === stopPolicies.everything
      ? 'everything'
      : stopPolicy === stopPolicies.starts
        ? 'starts'
        : 'nothing',
  specWith: (stop) => ({ stopPolicy: stopPolicies[stop] }),
  letsFinish: true,
  asRead: true,
  isOptional: true,
};

/** Kueue evicts what is not active, and keeps it out (apis/kueue/v1beta2/workload_types.go). */
export const workloadSwitch: Switch = {
  stopOf: ({ active }) => (active === false ? 'everything' : 'nothing'),
  specWith: (stop) => ({ active: stop === 'nothing' }),
  letsFinish: false,
  asRead: true,
  isOptional: true,
};

export const switches: Readonly<Record<GovernedKind, Switch>> = {
  Job: bySuspend,
  JobFlow: bySuspend,
  DaemonJob: bySuspend,
  LocalQueue: byStopPolicy,
};
