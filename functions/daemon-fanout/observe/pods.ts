/**
 * Pods are read only if they may explain something. Either a Job is recorded as started and not all of
 * it is ready, or it has failed and its result is about to be recorded.
 */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { maxNodeEntries } from '#shared/api/daemon-job-status.ts';
import { type Ledger, nodeKey, readLedger } from '#shared/api/node-ledger.ts';
import { labels } from '#shared/domain/labels.ts';
import { noPod } from '#shared/domain/missing-pod.ts';
import { asUid } from '#shared/domain/objects.ts';
import { jobCounts, type ObservedJob } from '#shared/domain/observed-job.ts';
import { withPodsOf } from '#shared/kube/doubtful-pods.ts';
import type { Reader } from '#shared/kube/reader.ts';

/** All Jobs, those in doubt with their Pods. */
export function withPods(
  { metadata, status }: DaemonJob,
  jobs: readonly ObservedJob[],
  reader: Reader,
  nowMs: number | undefined,
): Promise<readonly ObservedJob[]> {
  const ledger = readLedger(status?.ledger);
  const doubtful = jobs.filter((job) => isInDoubt(ledger, job)).map(({ uid }) => uid);
  const { nodes = [] } = status ?? {};
  // Among many nodes some have no entry. Then the entries of others report the cause.
  const unlisted = nodes.length < maxNodeEntries ? undefined : noPod;
  const saidOf = ({ name }: ObservedJob): string | undefined => {
    const entry = nodes.find(({ jobName }) => jobName === name);
    return entry === undefined ? unlisted : entry.reason;
  };
  const doubts = { owner: metadata, doubtful: new Set(doubtful), saidOf, nowMs };
  return withPodsOf(doubts, jobs, reader);
}

/** Called for every Job in every pass, so the cheap checks of the Job come before the ledger. */
function isInDoubt(ledger: Ledger, job: ObservedJob): boolean {
  const holding = job.conditions.filter(({ status: holds }) => holds === 'True');
  const hasFailed = holding.some(({ type }) => type === 'Failed');
  if (!hasFailed && (holding.length > 0 || !isNotReady(job))) return false;
  const key = nodeKey(asUid(job.labels[labels.nodeUid] ?? ''));
  const recorded = ledger.get(key)?.state;
  return hasFailed ? recorded !== 'Failed' && recorded !== 'Succeeded' : recorded === 'Started';
}

function isNotReady(job: ObservedJob): boolean {
  if (job.suspend || job.deletionTimestamp !== undefined || job.startTime === undefined)
    return false;
  const { active, ready } = jobCounts(job);
  return ready < active || active === 0;
}
