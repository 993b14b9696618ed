/**
 * How a policy holds what Kueue runs: two that write `spec.suspend` would do so for ever, so the Workload is made
 * inactive instead, and Kueue suspends the rest.
 */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject, type Uid } from '#shared/domain/objects.ts';
import { listIfServed } from '#shared/kube/list-if-served.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { isFinished, workloadWork } from '#shared/api/work/workload.ts';
import { type GovernedObject, governedObject, textAs } from '#shared/suspension/governed-object.ts';
import type { HeldByWorkload } from '../snapshot.ts';

/** By the uid of what they are of; asked for only where there is something of Kueue's. */
export async function workloadsOf(
  listed: readonly KubeObject[],
  reader: Reader,
  asOf?: 'now',
): Promise<ReadonlyMap<Uid, KubeObject>> {
  const isNeeded = listed.some((object) => governedObject(object)?.untouchable === 'Kueue');
  const all = isNeeded ? await listIfServed(reader, workloadWork.resource, asOf) : [];
  const current = all.filter(isCurrent).sort(byAge);
  return new Map(
    current.flatMap((workload) => {
      const owner = controllerOf(workload.metadata);
      return owner === undefined ? [] : [[owner.uid, workload] as const];
    }),
  );
}

/** As its Workload stands; unchanged where Kueue has not made one. */
export function throughWorkload(
  governed: GovernedObject,
  workloads: ReadonlyMap<Uid, KubeObject>,
): GovernedObject & HeldByWorkload {
  const workload = governed.untouchable === 'Kueue' ? workloads.get(governed.uid) : undefined;
  if (workload === undefined) return governed;
  const { kind, namespace, createdAt, labels, isActive, override, cronJob } = governed;
  const { name, uid, resourceVersion, generation = 0, annotations: own = {} } = workload.metadata;
  return {
    // Its own mark and placement are of a time before Kueue had it.
    ...{ kind, namespace, name: governed.name, uid: governed.uid, createdAt, labels, isActive },
    ...(override === undefined ? {} : { override }),
    ...(cronJob === undefined ? {} : { cronJob }),
    resourceVersion,
    generation,
    suspend: workloadWork.suspension.stopOf(fieldsOf(workload.spec)) !== 'nothing',
    // Without a mark it was made inactive on purpose, and stays so.
    hasRun: true,
    ...textAs('mark', own[annotations.suspendedBy]),
    ...textAs('held', own[annotations.held]),
    ...textAs('resumedBy', own[annotations.resumedBy]),
    workload: { name, uid },
    ...textAs('told', governed.held),
    ...(governed.suspend ? { waits: true } : {}),
  };
}

/** Of a Job that Kueue scales there are several for a while; those of before have finished. */
function isCurrent(workload: KubeObject): boolean {
  return workload.metadata.deletionTimestamp === undefined && !isFinished(workload);
}

function byAge({ metadata: left }: KubeObject, { metadata: right }: KubeObject): number {
  return (
    compareTexts(left.creationTimestamp ?? '', right.creationTimestamp ?? '') ||
    compareTexts(left.uid, right.uid)
  );
}
