/** Finds the Pods of a Job (pkg/controller/controller_ref_manager.go), and Pods that no Job tracks any more. */
import { controllerOf } from '#shared/domain/objects.ts';
import type { ControllerApi } from '../controller.ts';
import { isKind, kindOf } from '../kinds.ts';
import { asJob, isJobFinished, type Job } from '../objects/job.ts';
import { selects } from '../../apimachinery/label-selector.ts';
import {
  asPod,
  isDeleted,
  isTracked,
  jobOwnerOf,
  type Pod,
  trackingFinalizer,
} from '../objects/pod.ts';
import type { Writes } from '../writes.ts';

/** The Pods that the Job controls, in the order of creation. It releases Pods that its selector no longer matches. */
export function claimPods(job: Job, api: ControllerApi, writes: Writes): readonly Pod[] {
  adoptStrays(job, api, writes);
  const claimed: Pod[] = [];
  for (const { type, object } of api.store.dependentsOf(job.metadata.uid)) {
    if (!isKind(type, 'pods')) continue;
    if (controllerOf(object.metadata)?.uid !== job.metadata.uid) continue;
    if (selects(job.spec.selector, object.metadata.labels)) claimed.push(asPod(object));
    else if (job.metadata.deletionTimestamp === undefined) letGo(job, asPod(object), api, writes);
  }
  return claimed;
}

/** Only a selector of the user's own can match Pods that existed before the Job. */
function adoptStrays(job: Job, api: ControllerApi, writes: Writes): void {
  if (job.spec.manualSelector !== true || job.metadata.deletionTimestamp !== undefined) return;
  for (const object of api.store.list(kindOf(api, 'pods'), job.metadata.namespace)) {
    const pod = asPod(object);
    const isStray = controllerOf(pod.metadata) === undefined && !isDeleted(pod);
    if (isStray && selects(job.spec.selector, pod.metadata.labels)) adopt(job, pod, api, writes);
  }
}

/** A Pod without controller: its Job adopts it, or no Job will count it. */
export function offerOrphan(
  namespace: string,
  name: string,
  api: ControllerApi,
  writes: Writes,
): void {
  const pods = kindOf(api, 'pods');
  const object = api.store.get(pods, namespace, name);
  if (object === undefined) return;
  const pod = asPod(object);
  if (controllerOf(pod.metadata) === undefined && !isDeleted(pod)) {
    const adopter = adopterOf(pod, api);
    if (adopter !== undefined) {
      adopt(adopter, pod, api, writes);
      return;
    }
  }
  releasePod(pod, api, writes);
}

/** When a Job has ended or is gone, none of its Pods may wait to be counted. */
export function releasePods(jobUid: string, api: ControllerApi, writes: Writes): void {
  for (const { type, object } of api.store.dependentsOf(jobUid)) {
    if (isKind(type, 'pods')) releasePod(asPod(object), api, writes);
  }
}

function releasePod(pod: Pod, api: ControllerApi, writes: Writes): void {
  if (!isTracked(pod) || isKept(pod, api)) return;
  writes.removeFinalizer(kindOf(api, 'pods'), pod, trackingFinalizer);
}

/**
 * Whether an unfinished Job still counts the Pod, or its controller is not a Job, so that the finalizer is not ours to
 * remove.
 */
function isKept(pod: Pod, { store, ...api }: ControllerApi): boolean {
  const controller = controllerOf(pod.metadata);
  if (controller === undefined) return false;
  const owner = jobOwnerOf(pod);
  if (owner === undefined) return true;
  const object = store.get(kindOf(api, 'jobs'), pod.metadata.namespace ?? '', owner.name);
  return object?.metadata.uid === owner.uid && !isJobFinished(asJob(object));
}

function adopterOf(pod: Pod, api: ControllerApi): Job | undefined {
  return api.store
    .list(kindOf(api, 'jobs'), pod.metadata.namespace)
    .map(asJob)
    .find(
      (job) =>
        job.metadata.deletionTimestamp === undefined &&
        !isJobFinished(job) &&
        selects(job.spec.selector, pod.metadata.labels),
    );
}

function adopt(job: Job, pod: Pod, api: ControllerApi, writes: Writes): void {
  const { ownerReferences = [], finalizers = [] } = pod.metadata;
  const { name, uid } = job.metadata;
  const reference = { apiVersion: 'batch/v1', kind: 'Job', name, uid };
  writes.update(kindOf(api, 'pods'), {
    ...pod,
    metadata: {
      ...pod.metadata,
      ownerReferences: [
        ...ownerReferences,
        { ...reference, controller: true, blockOwnerDeletion: true },
      ],
      finalizers: [...finalizers.filter((each) => each !== trackingFinalizer), trackingFinalizer],
    },
  });
}

function letGo(job: Job, pod: Pod, api: ControllerApi, writes: Writes): void {
  const { ownerReferences = [], finalizers = [] } = pod.metadata;
  writes.update(kindOf(api, 'pods'), {
    ...pod,
    metadata: {
      ...pod.metadata,
      ownerReferences: ownerReferences.filter(({ uid }) => uid !== job.metadata.uid),
      finalizers: finalizers.filter((each) => each !== trackingFinalizer),
    },
  });
}
