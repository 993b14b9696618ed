/** Lists the reads that a decision needs, given what has been read so far. Reading too much is safe. */
import { daemonJobDefaults, type DaemonJob } from '#shared/api/daemon-job.ts';
import { isLedgerEnd, type Ledger, readLedger } from '#shared/api/node-ledger.ts';
import { labels } from '#shared/domain/labels.ts';
import { pendingRetry } from '#shared/parents/manual-retry.ts';
import { nodeJobName } from '#shared/domain/node-job-name.ts';
import { shutdown } from '#shared/domain/shutdown.ts';
import { nameOfTrace, traceOfMachine } from '#shared/domain/trace.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { manualRetry } from '../decide/retry.ts';
import type { ObservedNode } from '../snapshot.ts';

/** An ended DaemonJob needs its Jobs too: some that were not seen at its end may be left. */
export function needsJobs({ metadata, status }: DaemonJob): boolean {
  return metadata.deletionTimestamp === undefined && status?.startTime !== undefined;
}

/** Nodes and Jobs are not needed for a DaemonJob that is being deleted or is over for good. */
export function needsCluster({ metadata, spec, status }: DaemonJob): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const hasEnded = status?.state === 'Succeed' || status?.state === 'Failed';
  if (!hasEnded || pendingRetry(metadata, status) !== undefined) return true;
  const policy = spec.completionPolicy ?? daemonJobDefaults.completionPolicy;
  const isJudged = status.observedGeneration === metadata.generation;
  if (policy === 'Never' && (spec.shutdown === undefined || !isJudged)) return true;
  if (status.reason === shutdown) return false;
  return status.startTime === undefined && !isJudged;
}

/**
 * Jobs that are not listed, although the status records them as existing, or although they existed once
 * and the status does not record them yet. A Job of another machine of the same name does not count.
 */
export function missingNames(
  daemonJob: DaemonJob,
  nodes: readonly ObservedNode[],
  jobs: readonly ObservedJob[],
  traces: readonly string[],
): readonly string[] {
  const { metadata } = daemonJob;
  const ledger = readLedger(daemonJob.status?.ledger);
  const present = new Set(jobs.map((job) => job.name));
  const ofNodes = new Set(jobs.map((job) => jobKey(job.labels)));
  const gone = new Set(traces.filter((trace) => !present.has(nameOfTrace(trace))));
  return nodes.flatMap((node) => {
    const entry = ledger.get(node.key);
    const attempt = entry?.attempt ?? 0;
    const isStarted = entry?.state === 'Started';
    if (!isStarted && gone.size === 0) return [];
    // The status records that the Job of that attempt was deleted. The next attempt follows.
    if (entry?.state === 'Retired') return [];
    if (ofNodes.has(`${node.uid}/${attempt}`)) return [];
    const jobName = nodeJobName(metadata.name, node.name, attempt);
    if (present.has(jobName)) return [];
    const trace = traceOfMachine(jobName, node.uid);
    const isUnsaid = gone.has(trace) && !isLedgerEnd(entry?.state);
    return isStarted || isUnsaid ? [jobName] : [];
  });
}

/** The recorded ledger, after a requested retry: failed nodes then have their next attempt ahead. */
export function ledgerToGoOnFrom(daemonJob: DaemonJob): Ledger {
  return manualRetry(daemonJob, readLedger(daemonJob.status?.ledger)).ledger;
}

/** The machine and the attempt that a Job is for. */
export function jobKey(own: Readonly<Record<string, string>>): string {
  return `${own[labels.nodeUid] ?? ''}/${own[labels.attempt] ?? ''}`;
}
