import { asEventId, asResourceVersion, asUid } from '#shared/domain/objects.ts';
import type { EventReference } from '../event-reference.ts';

/** A change of a Job whose controller is the JobFlow `flow-a`. */
export const jobReference = {
  id: asEventId('u-job.77'),
  source: '/millrace/c1/batch/v1/jobs',
  type: 'dev.millrace.job.changed.v1',
  subject: '/apis/batch/v1/namespaces/default/jobs/flow-a-step',
  apiVersion: 'batch/v1',
  kind: 'Job',
  namespace: 'default',
  name: 'flow-a-step',
  uid: asUid('u-job'),
  resourceVersion: asResourceVersion('77'),
  owner: {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    name: 'flow-a',
    uid: asUid('u-flow'),
  },
} as const satisfies EventReference;
