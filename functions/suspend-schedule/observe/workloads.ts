/**
 * Lets a policy hold objects that Kueue runs. If both wrote `spec.suspend`, they would overwrite each other for ever.
 * So the policy makes the Workload inactive instead, and Kueue suspends the job.
 */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject, type Uid } from '#shared/domain/objects.ts';
import { listIfServed } from '#shared/kube/list-if-served.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { isFinished, workloadWork } from '#shared/api/work/workload.ts';
import {
  type GovernedObject,
  governedObject,
  isSetOtherwise,
  textAs,
} from '#shared/suspension/governed-object.ts';
import type { HeldByWorkload } from '../snapshot.ts';

/** By the uid of the owner. Read only if Kueue manages one of the objects. */
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

/** The object with the state of its Workload. Unchanged if Kueue has not made one. */
export function throughWorkload(
  governed: GovernedObject,
  workloads: ReadonlyMap<Uid, KubeObject>,
): GovernedObject & HeldByWorkload {
  const workload = governed.untouchable === 'Kueue' ? workloads.get(governed.uid) : undefined;
  if (workload === undefined) return governed;
  const { kind, namespace, createdAt, labels, isActive, override, cronJob } = governed;
  const { name, uid, resourceVersion, generation = 0, annotations: own = {} } = workload.metadata;
  const stop = workloadWork.suspension.stopOf(fieldsOf(workload.spec));
  const mark = own[annotations.suspendedBy];
  return {
    // The object's own mark and placement are older than its Workload.
    ...{ kind, namespace, name: governed.name, uid: governed.uid, createdAt, labels, isActive },
    ...(override === undefined ? {} : { override }),
    ...(cronJob === undefined ? {} : { cronJob }),
    resourceVersion,
    generation,
    suspend: stop !== 'nothing',
    ...(isSetOtherwise(stop, mark) ? { isSetOtherwise: true } : {}),
    // Without a mark it was made inactive on purpose, and stays so.
    hasRun: true,
    ...textAs('mark', mark),
    ...textAs('held', own[annotations.held]),
    ...textAs('resumedBy', own[annotations.resumedBy]),
    workload: { name, uid },
    ...textAs('told', governed.held),
    ...(governed.suspend ? { waits: true } : {}),
  };
}

/** A Job that Kueue scales has several Workloads for a while. The earlier ones are finished. */
function isCurrent(workload: KubeObject): boolean {
  return workload.metadata.deletionTimestamp === undefined && !isFinished(workload);
}

function byAge({ metadata: left }: KubeObject, { metadata: right }: KubeObject): number {
  return (
    compareTexts(left.creationTimestamp ?? '', right.creationTimestamp ?? '') ||
    compareTexts(left.uid, right.uid)
  );
}
