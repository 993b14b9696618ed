/** Whether the Job of a node that was removed may have been its own before the status told of it. */
import type { DaemonJob, DaemonJobStatus } from '#shared/api/daemon-job.ts';
import type { LedgerEntry } from '#shared/api/node-ledger.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { ObservedNode } from './snapshot.ts';

/** The name of its Job has that of another machine which was called as it is. */
export const replacing = 'Replacing';

/** A view of nodes that has missed something is listed anew by then, milliseconds. */
const oldestViewMs = 600_000;

/**
 * A Job was seen and has gone before the status told of it. The Jobs of a machine that came later are told
 * of at once: one of its name may have been another machine's.
 */
export function isUntold(
  daemonJob: Pick<DaemonJob, 'metadata' | 'status'>,
  node: ObservedNode,
  entry: LedgerEntry | undefined,
): boolean {
  if (entry !== undefined && entry.state !== 'Retrying') return false;
  return isOriginal(daemonJob, node) && !isOfAnother(daemonJob.status ?? {}, node);
}

/** Clocks that were set may make a machine older than it is. */
function isOfAnother({ nodes = [] }: DaemonJobStatus, node: ObservedNode): boolean {
  return nodes.some(({ name, reason }) => name === node.name && reason === replacing);
}

/**
 * It was there so long before the DaemonJob and its start that no view of nodes still showed another machine of its
 * name, whose Job would have had the same name. The API server's clock may be set back between the first two, and the
 * start is told by the clock of whoever wrote it: what either of them calls late is.
 */
export function isOriginal(
  { metadata, status }: Pick<DaemonJob, 'metadata' | 'status'>,
  { creationTimestamp }: ObservedNode,
): boolean {
  const nodeMs = parseTime(creationTimestamp);
  const createdMs = parseTime(metadata.creationTimestamp);
  const startedMs = parseTime(status?.startTime);
  if (nodeMs === undefined || createdMs === undefined || startedMs === undefined) return false;
  return nodeMs < Math.min(createdMs, startedMs) - oldestViewMs;
}
