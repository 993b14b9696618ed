/** How a user holds work in a queue of Kueue: by its Workload, because Kueue writes `spec.suspend` of the work itself. */
import { hasCode } from '#shared/domain/errors.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { queueOf } from '#shared/domain/queue-labels.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import type { OpenedCluster } from '../open-cluster.ts';
import { switchWorkload } from '../why/surroundings.ts';
import { workloadOf } from '../why/workload-causes.ts';

/** The refusal of `suspend` or `resume`. Undefined: Kueue does not write `spec.suspend` of this object. */
export async function refusalInQueue(
  isWanted: boolean,
  { object, called }: { readonly object: KubeObject; readonly called: string },
  cluster: OpenedCluster,
): Promise<CommandFailure | undefined> {
  const queue = queueOf(object as unknown as JsonObject);
  if (queue === '') return undefined;
  const workload = await readableWorkload(object, cluster);
  const isInactive = fieldsOf(workload?.spec)['active'] === false;
  const mayBeSwitched = workload !== undefined && isInactive !== isWanted;
  if (isWanted && !mayBeSwitched) return undefined;
  const message = isWanted
    ? `${called} is in the queue ${queue} of Kueue, which would resume it; its Workload holds it`
    : `${called} waits in the queue ${queue} of Kueue, which resumes it`;
  const next = mayBeSwitched
    ? switchWorkload(cluster, workload.metadata, !isWanted)
    : `millrace why ${called}`;
  return new CommandFailure(exitCodes.invalidInput, message, next);
}

/** Undefined: there is none, or the user may not read it. */
async function readableWorkload(
  object: KubeObject,
  cluster: OpenedCluster,
): Promise<KubeObject | undefined> {
  try {
    return await workloadOf(object, cluster);
  } catch (error) {
    if (hasCode(error, 'MR_API_FORBIDDEN')) return undefined;
    throw error;
  }
}
