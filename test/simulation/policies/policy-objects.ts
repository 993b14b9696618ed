/** The manifests of policies and of independent Jobs. */
import type { JsonObject, NewObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { jobTemplate, namespace } from '../flow-objects.ts';
import { type BatchPlan, type ClosedTime, type PolicyPlan, tierLabel } from './policy-plans.ts';

const priorityLabel = 'example.com/priority';
/** No flow or DaemonJob of a scenario has this prefix. */
const batchPrefix = 'batch-';

export function resourceOf({ ofCluster }: Pick<PolicyPlan, 'ofCluster'>): Resource {
  return ofCluster === true ? resources.ClusterSuspendPolicy : resources.SuspendPolicy;
}

/** `beginningMs`: the API server's time at the start of virtual time, since the epoch. */
export function policyObject(plan: PolicyPlan, beginningMs: number): NewObject {
  const { name, ofCluster, kinds, tier, maxJobs, adopt, precedence, onDelete, dryRun } = plan;
  return {
    apiVersion: 'millrace.dev/v1alpha1',
    kind: resourceOf(plan).kind,
    metadata: { name, ...(ofCluster === true ? {} : { namespace }) },
    spec: {
      kinds: [...kinds],
      ...(tier === undefined ? {} : { selector: { matchLabels: { [tierLabel]: tier } } }),
      ...scheduleOf(plan, beginningMs),
      ...(maxJobs === undefined ? {} : { capacity: { maxJobs } }),
      ...orderOf(plan),
      ...(adopt === undefined ? {} : { adopt }),
      ...(precedence === undefined ? {} : { precedence }),
      ...(onDelete === undefined ? {} : { onDelete }),
      ...(dryRun === undefined ? {} : { dryRun }),
    },
  };
}

function orderOf({ strategy, preemption, ...plan }: PolicyPlan): JsonObject {
  const { agingSeconds, maxWaitSeconds, groupBy } = plan;
  const fairness = {
    ...(agingSeconds === undefined ? {} : { agingSeconds }),
    ...(maxWaitSeconds === undefined ? {} : { maxWaitSeconds }),
    ...(groupBy === undefined ? {} : { groupBy }),
  };
  return {
    order: {
      priorityFrom: `label:${priorityLabel}`,
      ...(strategy === undefined ? {} : { strategy }),
    },
    ...(Object.keys(fairness).length === 0 ? {} : { fairness }),
    ...(preemption === undefined ? {} : { preemption }),
  };
}

function scheduleOf({ closed, maxJobs, onClose }: PolicyPlan, beginningMs: number): JsonObject {
  if (closed.length === 0 && maxJobs !== undefined) return {};
  return {
    schedule: {
      timeZone: 'Europe/Berlin',
      // No run lasts until then; exceptions close it.
      mode: 'SuspendInside',
      windows: [{ name: 'new-year', open: '0 3 1 1 *', close: '0 4 1 1 *' }],
      exceptions: closed.map((time) => exceptionOf(time, beginningMs)),
      ...(onClose === undefined ? {} : { onClose }),
    },
  };
}

export function exceptionOf({ fromMs, toMs }: ClosedTime, beginningMs: number): JsonObject {
  return {
    from: rfc3339(beginningMs + fromMs),
    to: rfc3339(beginningMs + toMs),
    state: 'Closed',
  };
}

/** Whether it is an independently submitted Job. */
export function isBatch({ metadata }: Pick<NewObject, 'metadata'>): boolean {
  return metadata.name.startsWith(batchPrefix);
}

export function batchJob({ name, tier, priority, suspend }: BatchPlan): NewObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace,
      labels: {
        ...(tier === undefined ? {} : { [tierLabel]: tier }),
        ...(priority === undefined ? {} : { [priorityLabel]: String(priority) }),
      },
    },
    spec: { ...jobTemplate('busybox'), ...(suspend === undefined ? {} : { suspend }) },
  };
}
