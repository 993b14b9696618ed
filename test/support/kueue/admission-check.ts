/** An admission check that a test answers itself. */
import type { Workload } from '#functions/kueue-workload-sync/workload.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { kubectlOrThrow } from '../control-plane/kubectl.ts';
import type { FlowWorld } from '../flow-world.ts';
import type { KueueSuite } from './kueue-suite.ts';
import { admissionCheck, clusterQueue } from './queues.ts';

/** The check, and a ClusterQueue of this name that uses it. */
export async function openCheck(
  { apply, cluster }: Pick<KueueSuite, 'apply' | 'cluster'>,
  check: string,
  queue: string,
): Promise<void> {
  const admissionChecksStrategy = { admissionChecks: [{ name: check }] };
  await apply([
    admissionCheck(check),
    clusterQueue(queue, { default: '8' }, { admissionChecksStrategy }),
  ]);
  // Kueue admits nothing in a queue whose checks have no active controller.
  const active = {
    ...{ type: 'Active', status: 'True', reason: 'Active', message: 'of a test' },
    lastTransitionTime: new Date().toISOString(),
  };
  const status = JSON.stringify({ status: { conditions: [active] } });
  const patch = ['patch', 'admissioncheck', check, '--subresource=status', '--type=merge'];
  await kubectlOrThrow(cluster.kubectl, [...patch, '-p', status]);
}

/** Answers as the check's controller, with the assignment of each podSet. */
export function answerCheck(
  world: FlowWorld,
  { metadata, spec }: Workload,
  name: string,
  { state, ...update }: { readonly state: string } & JsonObject,
) {
  const podSetUpdates = spec.podSets.map((podSet) => ({ name: podSet.name, ...update }));
  const answered = {
    ...{ name, state, message: `${state} by a test`, podSetUpdates },
    lastTransitionTime: new Date().toISOString(),
  };
  const status = { admissionChecks: [answered] };
  return world.patch('Workload', metadata.name, { status }, 'status');
}
