/**
 * Every kind of work. For a new kind, add a line here; all code that holds, queues or judges work derives from
 * it.
 */
import { resources } from '#shared/domain/resources.ts';
import { appWrapperWork } from './app-wrapper.ts';
import { daemonJobWork } from './daemon-job.ts';
import { jobFlowWork } from './job-flow.ts';
import { jobWork } from './job.ts';
import { localQueueWork } from './local-queue.ts';
import { jobTemplateSubmission } from './submission/job-template.ts';
import type { WorkKind } from './work-kind.ts';

export const workKinds: readonly WorkKind[] = [
  jobWork,
  jobFlowWork,
  { resource: resources.JobTemplate, isOurs: true, submission: jobTemplateSubmission },
  daemonJobWork,
  appWrapperWork,
  localQueueWork,
  // Owners of Jobs that Kueue manages.
  {
    resource: {
      group: 'jobset.x-k8s.io',
      version: 'v1alpha2',
      plural: 'jobsets',
      kind: 'JobSet',
      namespaced: true,
    },
    isQueued: true,
  },
];
