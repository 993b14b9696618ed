/**
 * Jobs that an earlier admission placed get their new placement before they are resumed. The API server accepts that
 * for a suspended Job that has never started, and since Kubernetes 1.36 once all its Pods are gone. If it refuses,
 * the job does not start and reports why.
 */
import type { AdmittedPodSet } from '#shared/api/work/queueing/queueing.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { withPodSetInfo } from '#shared/render/pod-sets.ts';
import type { SuspendedJob } from '../snapshot.ts';
import type { Situation } from './situation.ts';

export function placements(
  { snapshot }: Situation,
  podSets: readonly AdmittedPodSet[],
): readonly PatchOperation[] {
  const { suspendedJobs = [], key } = snapshot;
  return suspendedJobs.flatMap((each): readonly PatchOperation[] => {
    const info = podSets.find(({ info: { name } }) => name === each.podSet)?.info;
    const { nodeSelector, tolerations } = withPodSetInfo(
      { spec: { ...each.own, containers: [] } },
      info,
    ).spec;
    const wanted = { nodeSelector: nodeSelector ?? {}, tolerations: tolerations ?? [] };
    const current = { nodeSelector: each.nodeSelector ?? {}, tolerations: each.tolerations ?? [] };
    if (jsonEqual(wanted, current)) return [];
    return [
      {
        kind: 'patch',
        resource: resources.Job,
        target: { namespace: key.namespace, name: each.name },
        uid: each.uid,
        resourceVersion: each.resourceVersion,
        patch: { spec: { template: { spec: placeWith(each, wanted) } } },
      },
    ];
  });
}

/** A merge patch has to name removed keys as null. */
function placeWith({ nodeSelector = {} }: SuspendedJob, wanted: JsonObject): JsonObject {
  const next = wanted['nodeSelector'] as JsonObject;
  const dropped = Object.keys(nodeSelector).filter((key) => ownMember(next, key) === undefined);
  return {
    ...wanted,
    nodeSelector: { ...Object.fromEntries(dropped.map((key) => [key, null])), ...next },
  };
}
