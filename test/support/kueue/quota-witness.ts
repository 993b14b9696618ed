/** Finds Pods that ran without quota, from all events in the order of the API server's commits. */
import { holds, asWorkload, type Workload } from '#functions/kueue-workload-sync/workload.ts';
import { labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import type { PodObject } from '../flows/batch-objects.ts';
import type { ObjectHistory, Sighting } from '../flows/object-history.ts';

export interface QuotaHistories {
  readonly workloads: ObjectHistory<KubeObject>;
  readonly pods: ObjectHistory<PodObject>;
}

/** By the uid of the queued object. */
interface Moment {
  readonly workloads: Map<string, Workload>;
  readonly pods: Map<string, PodObject>;
}

/**
 * quota-1 No object has two Workloads with reserved quota.
 * quota-2 An object with a Pod that may use resources, including a terminating one, has a Workload with quota for it:
 *    for the Pods of the podSets, less the reclaimed ones.
 */
export function quotaFaults(
  namespace: string,
  { workloads, pods }: QuotaHistories,
): readonly string[] {
  const moment: Moment = { workloads: new Map(), pods: new Map() };
  const faults = new Set<string>();
  const all = [...workloads.sightings(namespace), ...pods.sightings(namespace)];
  for (const sighting of all.toSorted(byCommit)) {
    take(moment, sighting);
    for (const fault of faultsOf(moment, ownerUidOf(sighting.object))) faults.add(fault);
  }
  return [...faults];
}

function byCommit(left: Sighting<KubeObject>, right: Sighting<KubeObject>): number {
  const [before, after] = [left, right].map(({ object }) =>
    Number(object.metadata.resourceVersion),
  );
  return (before ?? 0) - (after ?? 0);
}

function take({ workloads, pods }: Moment, { type, object }: Sighting<KubeObject>): void {
  const { uid } = object.metadata;
  const isWorkload = object.kind === 'Workload';
  if (type === 'DELETED') (isWorkload ? workloads : pods).delete(uid);
  else if (isWorkload) workloads.set(uid, asWorkload(object));
  else pods.set(uid, object as PodObject);
}

function ownerUidOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return metadata.labels?.[labels.ownerUid] ?? '';
}

function faultsOf({ workloads, pods }: Moment, owner: string): readonly string[] {
  const holding = [...workloads.values()].filter(
    (each) =>
      ownerUidOf(each) === owner && holds(each, 'QuotaReserved') && !holds(each, 'Finished'),
  );
  const running = [...pods.values()].filter(
    (each) => ownerUidOf(each) === owner && mayUseResources(each),
  );
  const quota = holding.reduce((sum, each) => sum + podsIn(each), 0);
  const names = running.map(({ metadata }) => metadata.name).join(', ');
  return [
    ...(holding.length > 1
      ? [`${nameOf(holding[0]!)} has ${holding.length} Workloads with quota`]
      : []),
    ...(running.length > quota ? [`quota for ${quota} Pods, and these run: ${names}`] : []),
  ];
}

function mayUseResources({ spec, status }: PodObject): boolean {
  const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return spec.nodeName !== undefined && !hasEnded;
}

function podsIn({ spec, status }: Workload): number {
  const all = spec.podSets.reduce((sum, { count }) => sum + count, 0);
  return (status?.reclaimablePods ?? []).reduce((left, { count }) => left - count, all);
}

function nameOf({ metadata }: Workload): string {
  return controllerOf(metadata)?.name ?? metadata.name;
}
