/** Why components of an AppWrapper do not continue or are not gone: its flows, DaemonJobs and Jobs, and Pods that no Job owns. */
import { labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject, type Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Cause, Named } from './explanation.ts';
import { explainDaemonJob, explainFlow } from './explain-parent.ts';
import { deletedCause, jobCauses, podCause } from './job-causes.ts';
import { listed, type Surroundings } from './surroundings.ts';

type Explain = (
  object: KubeObject,
  named: Named,
  around: Surroundings,
) => Promise<readonly Cause[]>;

const explainedComponents: readonly (readonly [Resource, Explain])[] = [
  [resources.JobFlow, explainFlow],
  [resources.DaemonJob, explainDaemonJob],
  [resources.Job, (job, _named, around) => jobCauses(job, around)],
  [resources.Pod, async (pod, _named, around) => ownPodCauses(pod, around)],
];

export async function componentCauses(
  wrapper: KubeObject,
  around: Surroundings,
): Promise<readonly Cause[]> {
  return causesOf(wrapper, around, (explain, ...of) => explain(...of));
}

/** Those that are being deleted, with the finalizers that keep them. */
export async function leavingCauses(
  wrapper: KubeObject,
  around: Surroundings,
): Promise<readonly Cause[]> {
  return causesOf(wrapper, around, (_explain, object, named) =>
    object.metadata.deletionTimestamp === undefined ? [] : [deletedCause(object, named, around)],
  );
}

async function causesOf(
  { metadata: { namespace = '', uid } }: KubeObject,
  around: Surroundings,
  causes: (
    explain: Explain,
    ...of: Parameters<Explain>
  ) => readonly Cause[] | Promise<readonly Cause[]>,
): Promise<readonly Cause[]> {
  const where = { labelSelector: `${labels.ownerUid}=${uid}` };
  const found = explainedComponents.map(async ([resource, explain]) => {
    const objects = await listed(around, resource, namespace, where);
    return Promise.all(
      objects.map(async (object) => {
        const named = { kind: resource.kind, namespace, name: object.metadata.name };
        return causes(explain, object, named, around);
      }),
    );
  });
  return (await Promise.all(found)).flat(2);
}

/** The Pods of a Job are reported with it. */
function ownPodCauses(pod: KubeObject, around: Surroundings): readonly Cause[] {
  if (controllerOf(pod.metadata)?.kind === resources.Job.kind) return [];
  return podCause(pod, 'status of the Pod', around);
}
