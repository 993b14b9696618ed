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
import { membersOf } from '#shared/domain/json-value.ts';
import { jsonEqual, mergePatch } from '#shared/domain/merge-patch.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { progressDueAt } from '#shared/domain/pace.ts';
import { rfc3339Micro } from '#shared/domain/time.ts';
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
/** That the first Job is older than was thought comes with other news. */
const rides = 'startTime';

export interface StatusWrite {
  readonly patch?: JsonObject;
  /** When a difference that is held back is due, milliseconds since the epoch. */
  readonly dueMs?: number;
}

/** `isUrgent`: something waits for it to be on record. */
export function statusWrite(
  situation: Situation,
  next: DaemonJobStatus,
  isUrgent: boolean,
): StatusWrite {
  const { status, nowMs } = situation;
  const changes = mergePatch(known(status), known(next));
  if (changes === undefined) return {};
  const patch = { ...changes, lastUpdateTime: rfc3339Micro(nowMs) };
  if (isUrgent || !isProgress(status, next, changes)) return { patch };
  const dueMs = progressDueAt(
    {
      lastUpdateTime: status.lastUpdateTime,
      noticesRemovals: situation.snapshot.noticesRemovals === true,
      parts: situation.snapshot.nodes.length,
      isUnderLoad: situation.isUnderLoad,
    },
    nowMs,
  );
  return dueMs === 'now' || dueMs <= nowMs ? { patch } : { dueMs };
}

/**
 * A field that only another version knows is not ours to remove, and when it was written is no
 * difference.
 */
function known(status: DaemonJobStatus): JsonObject {
  return membersOf(status as JsonObject, (name) => comparedFields.has(name));
}

const comparedFields: ReadonlySet<string> = new Set(
  Object.keys(daemonJobStatusSchema.properties).filter((name) => name !== 'lastUpdateTime'),
);

function isProgress(before: DaemonJobStatus, after: DaemonJobStatus, changes: JsonObject): boolean {
  const isKnown = Object.keys(changes).every(
    (key) => progressFields.has(key) || (before.startTime !== undefined && key === rides),
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
