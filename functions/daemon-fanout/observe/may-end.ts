/**
 * Whether the decision may be that the DaemonJob has ended. An end is final, so the API server is asked for
 * the nodes first: nodes that an outdated view lacks would never run. Asking for too much is safe and costs
 * a list of all nodes.
 */
import { daemonJobDefaults, type DaemonJob } from '#shared/api/daemon-job.ts';
import { frozenDaemonJobHash } from '#shared/api/daemon-job-rules.ts';
import { isLedgerEnd, isLedgerFailure, type Ledger, readLedger } from '#shared/api/node-ledger.ts';
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { excludedNodes } from '#shared/domain/excluded-nodes.ts';
import { labels } from '#shared/domain/labels.ts';
import { pendingRetry } from '#shared/parents/manual-retry.ts';
import { nodeJobName } from '#shared/domain/node-job-name.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { runOf } from '../run-of-job.ts';
import type { DaemonSnapshot, ObservedNode } from '../snapshot.ts';
import { needsHash } from '#shared/parents/acceptance.ts';
import { jobKey, ledgerToGoOnFrom } from './needs.ts';

/** The objects that were read from the cluster. */
export type Cluster = Pick<DaemonSnapshot, 'nodes' | 'jobs' | 'confirmedMissing'>;

interface Look {
  readonly daemonJob: DaemonJob;
  readonly cluster: Cluster;
  readonly ledger: Ledger;
}

export function mayEnd(daemonJob: DaemonJob, cluster: Cluster): boolean {
  const { metadata, spec, status } = daemonJob;
  const isRetried = pendingRetry(metadata, status) !== undefined;
  // An endless DaemonJob that ended runs again when a new node comes, unless it is shut down.
  const mayRunAgain = hasEnded(daemonJob) && !isRetried && spec.shutdown === undefined;
  const goesOn = isEndless(daemonJob) && mayRunAgain;
  if (goesOn && !mayRecordOtherwise(daemonJob, cluster)) return false;
  const look = { daemonJob, cluster, ledger: ledgerToGoOnFrom(daemonJob) };
  if (isRunning(look) || standsStill(daemonJob)) return false;
  // It ends whatever is left to do, and results on machines outside the view count.
  if (spec.shutdown !== undefined) return true;
  if (spec.activeDeadlineSeconds !== undefined && isOutOfSight(look)) return true;
  const over = new Set(cluster.nodes.filter(isOver(look)));
  if (over.size === 0 && !endsEmpty(look)) return false;
  if (isCutShort(look)) return true;
  const excluded = excludedNodes(spec.excludeNodeList);
  return cluster.nodes.every(
    (node) => over.has(node) || excluded.has(node.name) || isSkipped(look, node),
  );
}

/** A recorded end stays, even if an outdated view still shows running Jobs of ended nodes. */
function isRunning({ daemonJob, cluster, ledger }: Look): boolean {
  const running = cluster.jobs.filter((job) => !isFinishedJob(job));
  if (!hasEnded(daemonJob)) return running.length > 0;
  const ofNodes = new Set(running.map((job) => jobKey(job.labels)));
  return cluster.nodes.some(({ uid, key }) => {
    const { state, attempt = 0 } = ledger.get(key) ?? {};
    return !isLedgerEnd(state) && ofNodes.has(`${uid}/${attempt}`);
  });
}

/** The spec differs from the one that was started. Nothing is concluded until it is restored. */
function standsStill(daemonJob: DaemonJob): boolean {
  const started = daemonJob.status?.specHash;
  if (started === undefined || !needsHash(daemonJob)) return false;
  return frozenDaemonJobHash(daemonJob.spec) !== started;
}

function isEndless({ spec }: DaemonJob): boolean {
  return (spec.completionPolicy ?? daemonJobDefaults.completionPolicy) === 'Never';
}

/**
 * Whether the recorded end may change: it is Failed without a failed node in view, or the reverse, or a
 * started machine without a recorded end is in view again. A refused DaemonJob has ended by its spec,
 * whatever nodes exist.
 */
function mayRecordOtherwise({ metadata, status }: DaemonJob, { nodes }: Cluster): boolean {
  const isAsJudged = status?.observedGeneration === metadata.generation;
  if (status?.startTime === undefined && isAsJudged) return false;
  const ledger = readLedger(status?.ledger);
  const states = nodes.map(({ key }) => ledger.get(key)?.state);
  const hasFailed = states.some(isLedgerFailure);
  return (status?.state === 'Failed') !== hasFailed || states.includes('Started');
}

function hasEnded({ status }: DaemonJob): boolean {
  return status?.state === 'Succeed' || status?.state === 'Failed';
}

/** It was started on a machine outside the view. When the deadline has passed, the result there counts. */
function isOutOfSight({ cluster: { nodes, jobs }, ledger }: Look): boolean {
  const keys = new Set(nodes.map(({ key }) => key));
  const uids = new Set<string | undefined>(nodes.map(({ uid }) => uid));
  return (
    [...ledger.keys()].some((key) => !keys.has(key)) ||
    jobs.some((job) => !uids.has(job.labels[labels.nodeUid]))
  );
}

/** Whether the node's Job has ended, by the record or by what was read, or is gone. */
function isOver({ daemonJob, cluster, ledger }: Look): (node: ObservedNode) => boolean {
  const ofNodes = new Set(cluster.jobs.map((job) => jobKey(job.labels)));
  const missing = new Set(cluster.confirmedMissing);
  return ({ name, uid, key }) => {
    const { state, attempt = 0 } = ledger.get(key) ?? {};
    if (isLedgerEnd(state)) return true;
    const jobName = nodeJobName(daemonJob.metadata.name, name, attempt);
    return ofNodes.has(`${uid}/${attempt}`) || missing.has(jobName);
  };
}

/** It may end without any node to run on. */
function endsEmpty({ daemonJob: { spec }, ledger }: Look): boolean {
  if (spec.suspend === true || spec.paused === true) return false;
  if (spec.allowEmpty ?? daemonJobDefaults.allowEmpty) return true;
  return [...ledger.values()].some(({ state }) => state === 'Succeeded');
}

/** After a failure nothing new starts, and waiting nodes do not delay the end. */
function isCutShort({ daemonJob: { spec }, cluster, ledger }: Look): boolean {
  if (spec.failurePolicy !== 'FailFast') return false;
  return (
    [...ledger.values()].some(({ state }) => isLedgerFailure(state)) ||
    cluster.confirmedMissing.length > 0 ||
    cluster.jobs.some((job) => hasFailed(job) && !isSuperseded(ledger, job))
  );
}

/** The node cannot run it, and has no recorded Job and no requested retry. */
function isSkipped({ ledger }: Look, { key, skip }: ObservedNode): boolean {
  const state = ledger.get(key)?.state;
  return skip !== undefined && state !== 'Started' && state !== 'Retrying';
}

function hasFailed({ conditions }: ObservedJob): boolean {
  return conditions.some(({ type, status }) => type === 'Failed' && status === 'True');
}

/** A retry has begun or is requested, so the failure of an earlier attempt ends nothing. */
function isSuperseded(ledger: Ledger, job: ObservedJob): boolean {
  const { key, attempt } = runOf(job);
  return attempt < (ledger.get(key)?.attempt ?? 0);
}
