/**
 * Whether every bridge knows policies and what these may govern as they are: one that does not may still tell of
 * what it sees, and take that back when it sees more.
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
      // Jobs of others are followed from the first policy on.
      const isWhole = bridge.views.scopeOf(resource).labelSelector === undefined;
      return !isWhole || areSame(view.values(), there, store);
    });
  });
}
