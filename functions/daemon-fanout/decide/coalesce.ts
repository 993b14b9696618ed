/**
 * Which differences of the status are worth a write of their own: requests per node are counted.
 *
 * That node follows node is written at most once a second (more rarely under load, and with many nodes,
 * since each write carries the ledger whole): the Jobs themselves are the record until then, by their
 * labels, and a removal of one is noticed. The first word and the last one, the first failure, and all that
 * is not the ordinary course of things, are written at once.
 */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { daemonJobStatusSchema } from '#shared/api/daemon-job-status.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { progressDueAt } from '#shared/domain/pace.ts';
import { comparedBy, rides, statusWrite, type StatusWrite } from '#shared/parents/status-write.ts';
import { nodeGone, type Situation } from './situation.ts';

/** What of the status the ordinary course of things moves. */
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

/** `isUrgent`: something waits for it to be on record. */
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
  const told = new Set(urgentNodes(before));
  return urgentNodes(after).every((name) => told.has(name));
}

/** Conditions without their words. */
function gistOf({ conditions = [] }: DaemonJobStatus) {
  return conditions.map(({ type, status, reason }) => [type, status, reason]);
}

/** Those that were refused are asked for last from then on; the Job of one that is gone soon is, too. */
function urgentNodes({ nodes = [] }: DaemonJobStatus): readonly string[] {
  const urgent = nodes.filter(({ state, reason }) => state === 'Blocked' || reason === nodeGone);
  return urgent.map(({ name, state }) => `${state} ${name}`);
}
