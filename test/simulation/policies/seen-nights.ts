/**
 * Whether every bridge sees the current policies and governed objects. Otherwise it may still report an outdated
 * state and correct it later.
 */
import { resources } from '#shared/domain/resources.ts';
import { areSame } from '../world/same-objects.ts';
import type { World } from '../world/world.ts';

const { ClusterSuspendPolicy, DaemonJob, Job, JobFlow, SuspendPolicy } = resources;
const followed = [SuspendPolicy, ClusterSuspendPolicy, JobFlow, DaemonJob, Job];

export function areNightsSeen({ nights, store, processes }: World): boolean {
  if (nights === undefined) return true;
  return followed.every((resource) => {
    const there = store.list(resource);
    return processes.every(({ bridge }) => {
      const view = bridge?.views.of(resource);
      if (bridge === undefined || view === undefined) return true;
      // Independent Jobs are watched from the first policy on.
      const isWhole = bridge.views.scopeOf(resource).labelSelector === undefined;
      return !isWhole || areSame(view.values(), there, store);
    });
  });
}
