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
     * One that never completes goes on with the next machine, unless it is held: until then it takes no room, and
     * afterwards it is held again where that is to be.
     */
    hasEnded: ({ spec, status }) => {
      const isEndless = spec['completionPolicy'] === 'Never';
      return !(isEndless && spec['suspend'] === true) && isInFinalState(status);
    },
    // It counts the Jobs that it has suspended as active, and says when none of them runs any more.
    isActive: ({ status }) => !hasCondition(status, standing) && countsActive(status),
  },
  priorityClassOf: priorityClassOfTemplate,
};
