/**
 * Does the decision assume that Jobs are absent which another pass may have created unrecorded? Two cases:
 *
 * The DaemonJob ends although nodes wait: no later pass looks for their Jobs, so an unseen one would count
 * nowhere. A queued DaemonJob has stopped: its quota is given back, and an unseen Job would run without any.
 */
import type { DaemonJob, DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { reportsStop } from '#shared/api/work/queueing/stopped.ts';
import type { Decision } from '#shared/domain/decision.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { endPatchOf, type Plan } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import type { DaemonSnapshot } from './snapshot.ts';

export function takesForAbsent(
  { daemonJob }: DaemonSnapshot,
  { plan }: Decision,
): Resource | undefined {
  const leavesOut = leavesNodesOut(daemonJob, plan) || reportsStop(daemonJob, plan);
  return leavesOut ? resources.Job : undefined;
}

function leavesNodesOut({ status }: DaemonJob, plan: Plan): boolean {
  const end: DaemonJobStatus | undefined = endPatchOf(plan);
  return end !== undefined && (end.waiting ?? status?.waiting ?? 0) > 0;
}
