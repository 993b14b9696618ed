/**
 * Decides which differences of the status need a write of their own, to save requests.
 *
 * Ordinary progress from node to node is written at most once a second, and more rarely under load or with
 * many nodes, because each write carries the whole ledger. Until then the Jobs are the record, by their
 * labels, and the removal of one is noticed. The first and the last status, the first failure, and
 * everything out of the ordinary are written at once.
 */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { daemonJobStatusSchema } from '#shared/api/daemon-job-status.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { progressDueAt } from '#shared/domain/pace.ts';
import { comparedBy, rides, statusWrite, type StatusWrite } from '#shared/parents/status-write.ts';
import { nodeGone, type Situation } from './situation.ts';

/** The fields that ordinary progress changes. */
const progressFields: ReadonlySet<string> = new Set([
  'ledger',
  'desired',
  'active',
  'succeeded',
  'failed',
  'skipped',
  'waiting',
  'nodes',
  'message',
  'conditions',
]);

/** `isUrgent`: another step waits until this status is recorded. */
export function daemonJobStatusWrite(
  { status, snapshot, isUnderLoad, nowMs }: Situation,
  next: DaemonJobStatus,
  isUrgent: boolean,
): StatusWrite {
  const written = { before: compared(status) as JsonObject, after: compared(next) as JsonObject };
  const { lastUpdateTime } = status;
  const noticesRemovals = snapshot.noticesRemovals === true;
  const pace = { lastUpdateTime, noticesRemovals, parts: snapshot.nodes.length, isUnderLoad };
  return statusWrite(written, nowMs, (changes) =>
    isUrgent || !isProgress(status, next, changes) ? 'now' : progressDueAt(pace, nowMs),
  );
}

const compared = comparedBy<DaemonJobStatus>(daemonJobStatusSchema);

function isProgress(before: DaemonJobStatus, after: DaemonJobStatus, changes: JsonObject): boolean {
  const isKnown = Object.keys(changes).every(
    (key) => progressFields.has(key) || rides(key, before),
  );
  if (!isKnown || !jsonEqual(gistOf(before), gistOf(after))) return false;
  const known = new Set(urgentNodes(before));
  return urgentNodes(after).every((name) => known.has(name));
}

/** Conditions without their messages. */
function gistOf({ conditions = [] }: DaemonJobStatus) {
  return conditions.map(({ type, status, reason }) => [type, status, reason]);
}

/** Written at once: refused nodes come last from then on, and the Job of a removed machine is soon gone. */
function urgentNodes({ nodes = [] }: DaemonJobStatus): readonly string[] {
  const urgent = nodes.filter(({ state, reason }) => state === 'Blocked' || reason === nodeGone);
  return urgent.map(({ name, state }) => `${state} ${name}`);
}
