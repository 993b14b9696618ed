/** The Workload of a job, as it is created or rewritten. */
import { controllerOwner, jobUidLabel, inUseFinalizer } from '../workload.ts';
import type { PodSet } from '#shared/api/work/queueing/queueing.ts';
import { labels } from '#shared/domain/labels.ts';
import { apiVersionOf, type JsonObject } from '#shared/domain/objects.ts';
import { membersOf } from '#shared/domain/json-value.ts';
import type { CreateOperation } from '#shared/domain/plan.ts';
import { gatesAnnotation, maxExecTimeLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Priority } from '../snapshot.ts';
import type { Situation } from './situation.ts';
import { topologyRequest } from './topology-request.ts';

const { Workload } = resources;
const provisioning = 'provreq.kueue.x-k8s.io/';

export function newWorkload(
  situation: Situation,
  podSets: readonly PodSet[],
  priority: Priority,
): CreateOperation {
  const { snapshot, job } = situation;
  const { key, workloadName: name } = snapshot;
  const { namespace, uid } = key;
  const copied = membersOf(
    job.metadata.annotations ?? {},
    (each) => each.startsWith(provisioning) || each === gatesAnnotation,
  );
  return {
    kind: 'create',
    resource: Workload,
    ownerUid: uid,
    object: {
      apiVersion: apiVersionOf(Workload),
      kind: Workload.kind,
      metadata: {
        ...{ name, namespace },
        labels: { [jobUidLabel]: uid, [labels.ownerUid]: uid },
        ...(Object.keys(copied).length === 0 ? {} : { annotations: copied }),
        finalizers: [inUseFinalizer],
        ownerReferences: [controllerOwner(key)],
      },
      spec: { active: true, ...specOf(situation, podSets, priority) },
    },
  };
}

/** Everything that follows from the job. `active` is left out, because people set it. */
export function specOf(
  situation: Situation,
  podSets: readonly PodSet[],
  priority: Priority,
): JsonObject {
  const seconds = maximumSeconds(situation);
  const { ignoresTopology } = situation.snapshot;
  return {
    queueName: situation.queue,
    podSets: podSets.map(({ name, count, template, topologyRequest: ranks }) => {
      const request = ignoresTopology ? {} : { ...topologyRequest(template), ...ranks };
      return {
        name,
        count,
        template,
        ...(Object.keys(request).length === 0 ? {} : { topologyRequest: request }),
      };
    }),
    ...(priority.kind === 'known' ? priorityIn(priority) : {}),
    ...(seconds === undefined ? {} : { maximumExecutionTimeSeconds: seconds }),
  };
}

/** The priority as fields of a Workload. */
export function priorityIn({
  value,
  classRef,
}: Extract<Priority, { readonly kind: 'known' }>): JsonObject {
  return { priority: value, ...(classRef === undefined ? {} : { priorityClassRef: classRef }) };
}

/** From the label. Undefined: it is missing or invalid. */
export function maximumSeconds({ job }: Situation): number | undefined {
  const seconds = Number(job.metadata.labels?.[maxExecTimeLabel] ?? 0);
  return Number.isInteger(seconds) && seconds > 0 ? seconds : undefined;
}
