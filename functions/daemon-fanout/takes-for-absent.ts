/**
 * Whether the DaemonJob ends although nodes wait. No later pass looks for their Jobs, so one that another
 * pass created without recording it would count nowhere.
 */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import type { Decision } from '#shared/domain/decision.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { endPatchOf } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import type { DaemonSnapshot } from './snapshot.ts';

export function takesForAbsent(
  { daemonJob: { status } }: DaemonSnapshot,
  { plan }: Decision,
): Resource | undefined {
  const end: DaemonJobStatus | undefined = endPatchOf(plan);
  if (end === undefined) return undefined;
  return (end.waiting ?? status?.waiting ?? 0) > 0 ? resources.Job : undefined;
}
