/**
 * A job whose Workload Kueue itself deactivated is deleted after a time, if Kueue's configuration says so
 * (objectRetentionPolicies.workloads.afterDeactivatedByKueue; jobframework/reconciler.go,
 * handleWorkloadAfterDeactivatedPolicy). A job whose Workload a user deactivated stays.
 */
import type { Decision } from '#shared/domain/decision.ts';
import { objectName } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import { conditionOf, type Workload } from '../workload.ts';
import { event } from './operations.ts';
import { written } from './outcome.ts';
import type { Situation } from './situation.ts';

/** Prefix of the eviction's reason. The rest says why Kueue deactivated the Workload. */
const byKueue = 'DeactivatedDueTo';

/** Milliseconds since the epoch. Undefined: the job stays. */
export function lapsesAtMs({ snapshot }: Situation, workload: Workload): number | undefined {
  const { keepsDeactivatedMs } = snapshot;
  const evicted = conditionOf(workload, 'Evicted');
  if (keepsDeactivatedMs === undefined || workload.spec.active !== false) return undefined;
  if (evicted?.status !== 'True' || !evicted.reason.startsWith(byKueue)) return undefined;
  const sinceMs = parseTime(evicted.lastTransitionTime);
  return sinceMs === undefined ? undefined : sinceMs + keepsDeactivatedMs;
}

export function lapse(situation: Situation): Decision {
  const { job, resource } = situation;
  const { uid, resourceVersion } = job.metadata;
  const message = 'Deleted job: deactivation retention period expired';
  const target = objectName(job.metadata);
  return written('Deleted', message, [
    [{ kind: 'delete', resource, target, uid, resourceVersion, propagation: 'Background' }],
    [event(situation, 'Deleted', message, { occurrence: uid })],
  ]);
}
