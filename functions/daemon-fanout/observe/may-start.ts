/**
 * Whether a Job may be created under a limit to how many run at once. To keep the limit across replicas, a
 * decision has to know all running Jobs. Asking for too much is safe and costs a list of these.
 */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { type Ledger, readLedger } from '#shared/api/node-ledger.ts';
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { excludedNodes } from '#shared/domain/excluded-nodes.ts';
import { labels } from '#shared/domain/labels.ts';
import { nodeJobName } from '#shared/domain/node-job-name.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { invalidSpec } from '../invalid-spec.ts';
import { runOf, type RunOfJob } from '../run-of-job.ts';
import type { ObservedNode } from '../snapshot.ts';
import { jobKey, ledgerToGoOnFrom } from './needs.ts';

export function mayStart(
  daemonJob: DaemonJob,
  nodes: readonly ObservedNode[],
  jobs: readonly ObservedJob[],
): boolean {
  const { parallelism, suspend, paused } = daemonJob.spec;
  if (parallelism === undefined || suspend === true || paused === true) return false;
  if (isRefused(daemonJob)) return false;
  const running = jobs.filter((job) => !isFinishedJob(job)).length;
  const look = { nodes, jobs, ledger: ledgerToGoOnFrom(daemonJob), canRun: eligible(daemonJob) };
  return running < mostAtOnce(parallelism, look) && isAnyOpen(look);
}

/**
 * Whether a Job that is recorded as started may be missing from the list, and its slot uncounted: the list
 * may be outdated, or the Job is gone or was never created. If the machine is in view and the name of its
 * Job is unused, the slot is counted anyway.
 */
export function isBehindRecord(
  { metadata, status }: DaemonJob,
  nodes: readonly ObservedNode[],
  jobs: readonly ObservedJob[],
): boolean {
  const listed = new Set(jobs.map((job) => runKey(runOf(job))));
  const present = new Set(jobs.map((job) => job.name));
  const names = new Map(nodes.map(({ key, name }) => [key, name]));
  return [...readLedger(status?.ledger)].some(([key, { state, attempt }]) => {
    if (state !== 'Started' || listed.has(runKey({ key, attempt }))) return false;
    const node = names.get(key);
    return node === undefined || present.has(nodeJobName(metadata.name, node, attempt));
  });
}

function runKey({ key, attempt }: RunOfJob): string {
  return `${key}/${attempt}`;
}

interface Look {
  readonly nodes: readonly ObservedNode[];
  readonly jobs: readonly ObservedJob[];
  readonly ledger: Ledger;
  readonly canRun: (node: ObservedNode) => boolean;
}

function eligible({ spec }: DaemonJob): Look['canRun'] {
  const excluded = excludedNodes(spec.excludeNodeList);
  return ({ name, skip }) => skip === undefined && !excluded.has(name);
}

/** It never started and cannot start: its spec is invalid, or a refusal is recorded for this generation. */
function isRefused(daemonJob: DaemonJob): boolean {
  const { metadata, status } = daemonJob;
  if (status?.startTime !== undefined) return false;
  const isRecorded =
    status?.state === 'Failed' && status.observedGeneration === metadata.generation;
  return isRecorded || invalidSpec(daemonJob) !== undefined;
}

/** A percentage counts the nodes that can run it or have run it. */
function mostAtOnce(parallelism: number | string, { nodes, jobs, ledger, canRun }: Look): number {
  if (typeof parallelism === 'number') return parallelism;
  const machines = new Set(jobs.map((job) => job.labels[labels.nodeUid]));
  const counted = nodes.filter(
    (node) => canRun(node) || ledger.has(node.key) || machines.has(node.uid),
  );
  return Math.ceil((Number.parseInt(parallelism, 10) * counted.length) / 100);
}

/** Some node can run it and has no Job of its due attempt. */
function isAnyOpen({ nodes, jobs, ledger, canRun }: Look): boolean {
  const ofNodes = new Set(jobs.map((job) => jobKey(job.labels)));
  return nodes.filter(canRun).some(({ uid, key }) => {
    const { state, attempt = 0 } = ledger.get(key) ?? {};
    if (state === 'Retired') return true;
    const isOpen = state === undefined || state === 'Retrying';
    return isOpen && !ofNodes.has(`${uid}/${attempt}`);
  });
}
