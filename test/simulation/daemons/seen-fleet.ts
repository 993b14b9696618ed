/**
 * Whether every bridge knows the nodes and the Jobs on them as they are: one that does not may go on to decide
 * about machines and Jobs that are gone, and what goes on for ever tells of them and takes that back.
 */
import { labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { areSame } from '../world/same-objects.ts';
import type { World } from '../world/world.ts';

export function isFleetSeen({ fleet, store, processes }: World): boolean {
  if (fleet === undefined) return true;
  const nodes = store.list(resources.Node);
  const jobs = store.list(resources.Job).filter(isOnNode);
  return processes.every(({ bridge }) => {
    const seenNodes = bridge?.views.of(resources.Node);
    const seenJobs = bridge?.views.of(resources.Job);
    return (
      (seenNodes === undefined || areSame(seenNodes.values(), nodes, store)) &&
      (seenJobs === undefined || areSame([...seenJobs.values()].filter(isOnNode), jobs, store))
    );
  });
}

/** A Job of a DaemonJob that views find by its label. */
function isOnNode({ metadata }: KubeObject): boolean {
  return (
    controllerOf(metadata)?.kind === 'DaemonJob' && metadata.labels?.[labels.ownerUid] !== undefined
  );
}
