import { resources } from '#shared/domain/resources.ts';
import { priorityClassOfTemplate } from './pod-priority.ts';
import { countsActive, hasCondition, isInFinalState } from './progress.ts';
import { daemonJobQueueing } from './queueing/daemon-job.ts';
import { daemonJobSubmission } from './submission/daemon-job.ts';
import { bySuspend } from './switches.ts';
import type { WorkKind } from './work-kind.ts';

/** All its Jobs are suspended. */
const standing: ReadonlySet<unknown> = new Set(['Suspended']);

export const daemonJobWork: WorkKind = {
  resource: resources.DaemonJob,
  isOurs: true,
  isQueued: true,
  queueing: daemonJobQueueing,
  submission: daemonJobSubmission,
  suspension: {
    ...bySuspend,
    /**
     * One that never completes continues with the next machine, unless it is held. Until then it takes no
     * capacity, and afterwards it is held again if needed.
     */
    hasEnded: ({ spec, status }) => {
      const isEndless = spec['completionPolicy'] === 'Never';
      return !(isEndless && spec['suspend'] === true) && isInFinalState(status);
    },
    // It counts suspended Jobs as active, and reports when none of them runs any more.
    isActive: ({ status }) => !hasCondition(status, standing) && countsActive(status),
  },
  priorityClassOf: priorityClassOfTemplate,
};
