/** cluster-suspend-schedule: suspend-schedule for the policies of the whole cluster. */
import { scheduleFunction } from '#functions/suspend-schedule/function.ts';
import { clusterSuspendPolicyKind } from '#shared/api/suspend-policy.ts';
import { resources } from '#shared/domain/resources.ts';

export const clusterSuspendSchedule = scheduleFunction(
  'cluster-suspend-schedule',
  resources.ClusterSuspendPolicy,
  clusterSuspendPolicyKind,
);
