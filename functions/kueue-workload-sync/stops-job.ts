/**
 * A stop rests on the Workloads, which come from another view than the job. If theirs is behind, it may show one that
 * has been replaced since, by which another replica has started the job again. Two replicas would then stop and start the
 * job in turn until the view has caught up, and each stop costs its Pods.
 */
import type { Decision, Ground } from '#shared/domain/decision.ts';
import { objectName, type Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { QueueSnapshot } from './snapshot.ts';

const resource = resources.Workload;

export function stopsJob({ key }: QueueSnapshot, { plan }: Decision): boolean {
  return plan
    .flat()
    .some((each) => each.kind === 'patch' && each.uid === key.uid && each.isFinal === true);
}

export function groundsOf({ workloads }: QueueSnapshot): readonly Ground[] {
  return workloads.map(({ metadata }) => {
    const { uid, resourceVersion } = metadata;
    return { resource, target: objectName(metadata), uid, resourceVersion };
  });
}

/** A job without a Workload is stopped. One with an owner in a queue has none. */
export function takesForAbsent(snapshot: QueueSnapshot, decision: Decision): Resource | undefined {
  const { ancestor, workloads } = snapshot;
  const lacks = ancestor === undefined && workloads.length === 0;
  return lacks && stopsJob(snapshot, decision) ? resource : undefined;
}
