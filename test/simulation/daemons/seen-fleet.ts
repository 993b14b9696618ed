/**
 * Whether every bridge sees the current nodes and their Jobs. Otherwise it may still decide about removed
 * machines and Jobs, and a DaemonJob that never completes reports them and reverts that.
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

/** A DaemonJob's Job that views find by its label. */
function isOnNode({ metadata }: KubeObject): boolean {
  return (
    controllerOf(metadata)?.kind === 'DaemonJob' && metadata.labels?.[labels.ownerUid] !== undefined
  );
}
