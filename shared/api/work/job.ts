/** The Job of Kubernetes. */
import { apiVersionOf } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { keepOfGovernedJob } from './kept-job.ts';
import { requestsOf } from './job-requests.ts';
import { placedPodOf } from './placed-pod.ts';
import { priorityClassOfTemplate } from './pod-priority.ts';
import { countsActive, hasCondition } from './progress.ts';
import { bySuspend } from './switches.ts';
import type { WorkKind } from './work-kind.ts';

const ends: ReadonlySet<unknown> = new Set(['Complete', 'Failed']);

/**
 * A CronJob creates Jobs and leaves them alone; other owners may revert changes of their children.
 */
export const starterOfJobs = { apiVersion: apiVersionOf(resources.Job), kind: 'CronJob' };

export const jobWork: WorkKind = {
  resource: resources.Job,
  isQueued: true,
  suspension: {
    ...bySuspend,
    hasEnded: ({ status }) => hasCondition(status, ends),
    isActive: ({ status }) => countsActive(status),
    isChildToo: true,
    ownController: 'kubernetes.io/job-controller',
    keep: keepOfGovernedJob,
  },
  pods: { requestsOf, placedPodOf },
  priorityClassOf: priorityClassOfTemplate,
};
