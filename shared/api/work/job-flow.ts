import { resources } from '#shared/domain/resources.ts';
import { countsActive, isInFinalState } from './progress.ts';
import { flowController } from './managed-by.ts';
import { jobFlowQueueing } from './queueing/job-flow.ts';
import { jobFlowSubmission } from './submission/job-flow.ts';
import { bySuspend } from './switches.ts';
import type { WorkKind } from './work-kind.ts';

export const jobFlowWork: WorkKind = {
  resource: resources.JobFlow,
  isOurs: true,
  isQueued: true,
  queueing: jobFlowQueueing,
  submission: jobFlowSubmission,
  suspension: {
    ...bySuspend,
    hasEnded: ({ status }) => isInFinalState(status),
    isActive: ({ status }) => countsActive(status),
    stopsOnlyStarts: ({ spec }) => spec['suspendMode'] === 'SchedulingOnly',
    ownController: flowController,
  },
};
