/** Maps refusals of the API server to states of nodes. */
import { maxNodeEntries } from '#shared/api/daemon-job-status.ts';
import { nodeJobName } from '#shared/domain/node-job-name.ts';
import { isRefusal, isTaken, type Rejection } from '#shared/domain/rejection.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { shortened } from '#shared/domain/wording.ts';
import { askAgainMs } from '#shared/parents/refusals.ts';
import type { NodeRecord } from './nodes.ts';
import type { Situation } from './situation.ts';

/** After this many refusals in a row, others would be refused as well. */
const manyRefused = 3;

export function jobNameOf(
  { daemonJob }: Situation,
  { node, attempt }: Pick<NodeRecord, 'node' | 'attempt'>,
): string {
  return nodeJobName(daemonJob.metadata.name, node.name, attempt);
}

/** An invalid object stays invalid, so its node has failed. Other refusals may pass. */
export function applyRejections(
  situation: Situation,
  records: readonly NodeRecord[],
): readonly NodeRecord[] {
  if (situation.rejections.size === 0) return records;
  return records.map((record) => {
    if (record.state !== 'Waiting') return record;
    const rejection = situation.rejections.get(jobNameOf(situation, record));
    return rejection === undefined ? record : refused(situation, record, rejection);
  });
}

function refused(
  situation: Situation,
  record: NodeRecord,
  { code, message }: Rejection,
): NodeRecord {
  const { node, attempt } = record;
  const said = shortened(message);
  if (code === 'Invalid') {
    const completionTime = rfc3339(situation.nowMs);
    return { node, attempt, state: 'Failed', reason: 'InvalidJob', message: said, completionTime };
  }
  if (record.reason === code) return record;
  return { node, attempt, state: 'Waiting', reason: code, message: said, isBlocked: true };
}

/** A template that makes no valid Job makes none on any node. */
export function invalidJob({ rejections }: Situation): Rejection | undefined {
  return [...rejections.values()].find(({ code }) => code === 'Invalid');
}

/** Nodes whose Job the cluster does not allow yet. */
export function refusedNodes(records: readonly NodeRecord[]): readonly NodeRecord[] {
  return records.filter(
    ({ state, isBlocked, reason }) =>
      state === 'Waiting' && isBlocked === true && isRefusal(reason),
  );
}

/**
 * When to try again, milliseconds since the epoch. Undefined: nothing is refused. At once if other nodes
 * may still be created. Else computed from the time when the DaemonJob became blocked, without a counter.
 */
export function refusalDueMs(
  situation: Situation,
  records: readonly NodeRecord[],
): number | undefined {
  const refusedNow = refusedNodes(records);
  if (refusedNow.length === 0) return undefined;
  const { nowMs, rejections, status } = situation;
  const general = refusedNow.filter(({ reason }) => !isTaken(reason));
  const hasOthers = records.some(
    ({ state, isBlocked }) => state === 'Waiting' && isBlocked !== true,
  );
  // If the list of entries is full, it is unknown which nodes were refused.
  const isFull = (status.nodes ?? []).length >= maxNodeEntries;
  const goesOn = rejections.size > 1 || (general.length < manyRefused && !isFull);
  if (rejections.size > 0 && hasOthers && goesOn) return nowMs;
  const reasons = refusedNow.map(({ reason }) => reason);
  return askAgainMs(reasons, status, nowMs);
}
