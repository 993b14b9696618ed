/** Chooses the nodes that get their Job now. */
import { isLedgerFailure } from '#shared/api/node-ledger.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { CreateOperation, Stage } from '#shared/domain/plan.ts';
import { parseTime } from '#shared/domain/time.ts';
import { jobWeight, mostWeight } from '#shared/render/job-weight.ts';
import { renderNodeJob } from '#shared/render/render-node-job.ts';
import { desiredOf, takenSlots, type NodeRecord } from './nodes.ts';
import type { Hold } from './policies.ts';
import { jobNameOf } from './refusals.ts';
import type { ObservedNode } from '../snapshot.ts';
import { isUnfinished, type Situation } from './situation.ts';

/**
 * Limit for creates in one stage. Stages grow from one Job on, as in the Job controller, so a missing
 * quota or permission costs one refused request instead of one for each node.
 */
const largestStage = 128;

export interface Starts {
  readonly records: readonly NodeRecord[];
  readonly creates: readonly Stage[];
  /** Jobs of removed machines that hold the names of Jobs to be created. */
  readonly inTheWay: readonly ObservedJob[];
  /** When the machines of other Jobs with such names count as gone. */
  readonly doubtsMs: readonly number[];
  /** More nodes could start than one decision creates: decide again at once. */
  readonly isDeferred: boolean;
}

/**
 * If the API server just refused a create, nothing else is created: it is unknown which other creates went
 * through, and the next pass sees them. Jobs in the way are recorded all the same, since the next plan may
 * fail at the same refusal.
 */
export function startNodes(
  situation: Situation,
  records: readonly NodeRecord[],
  hold: Hold | undefined,
): Starts {
  if (hold !== undefined) return nothingStarts(records);
  const found = records.map((record) =>
    isOpen(record) ? withNameFree(situation, record) : { record },
  );
  const judged = found.map(({ record }) => record);
  const isRefused = situation.rejections.size > 0;
  const isUnrecorded = isUnrecordedRetry(situation);
  const most = isRefused || isUnrecorded ? 0 : freeSlots(situation, judged);
  const startable = inOrder(judged).slice(0, most);
  const chosen = new Set(startable.slice(0, mostStarts(situation)));
  const creates = [...chosen].map((record) => renderNodeJob(situation.daemonJob, record));
  return {
    records: judged.map((record) =>
      chosen.has(record)
        ? { node: record.node, attempt: record.attempt, state: 'Active' as const }
        : record,
    ),
    creates: slowStart(creates),
    inTheWay: found.flatMap(({ inTheWay }) => inTheWay ?? []),
    doubtsMs: found.flatMap(({ doubtMs }) => doubtMs ?? []),
    isDeferred: isUnrecorded || startable.length > chosen.size,
  };
}

/**
 * A retry by hand is recorded before any Job of it is created, so that a newer retry may replace it or a
 * shutdown refuse it.
 */
function isUnrecordedRetry({ retry, recorded, status }: Situation): boolean {
  if (!retry.isNew) return false;
  return (
    status.state === 'Failed' || [...recorded.values()].some(({ state }) => isLedgerFailure(state))
  );
}

/** Limit for creates in one decision. */
function mostStarts({ daemonJob: { spec } }: Situation): number {
  const { template, globalParams } = spec;
  return Math.ceil(mostWeight / jobWeight({ template, pod: template.spec, added: [globalParams] }));
}

function nothingStarts(records: readonly NodeRecord[]): Starts {
  return { records, creates: [], inTheWay: [], doubtsMs: [], isDeferred: false };
}

/** By name, refused nodes last. They still have to be tried, because nothing else unblocks them. */
function inOrder(records: readonly NodeRecord[]): readonly NodeRecord[] {
  const open = records.filter((record) => isOpen(record) && record.node.skip === undefined);
  return [
    ...open.filter(({ isBlocked }) => isBlocked !== true),
    ...open.filter(({ isBlocked }) => isBlocked === true),
  ];
}

/** No Job of an earlier attempt is in the way. */
function isOpen({ state, job }: NodeRecord): boolean {
  return state === 'Waiting' && job === undefined;
}

/** Checks whether the name of its Job is free, and what to do if not. */
function withNameFree(
  situation: Situation,
  record: NodeRecord,
): {
  readonly record: NodeRecord;
  readonly inTheWay?: ObservedJob;
  readonly doubtMs?: number | undefined;
} {
  const { node, attempt } = record;
  const holder = situation.jobs.get(jobNameOf(situation, record));
  const waiting = { node, attempt, state: 'Waiting' as const, isBlocked: true as const };
  if (holder === undefined) return { record };
  const uid = holder.labels[labels.nodeUid];
  if (situation.snapshot.nodes.some((other) => other.uid === uid)) {
    const message = `Job ${holder.name} belongs to another node`;
    return { record: { ...waiting, job: holder, reason: 'NameConflict', message } };
  }
  const message = `waiting until Job ${holder.name} is gone, which ran on another machine of this name`;
  const replaced = { record: { ...waiting, job: holder, reason: 'Replacing', message } };
  if (holder.deletionTimestamp !== undefined) return replaced;
  const doubtMs = inDoubtUntilMs(situation, node, holder);
  return doubtMs === undefined ? { ...replaced, inTheWay: holder } : { ...replaced, doubtMs };
}

function freeSlots(situation: Situation, records: readonly NodeRecord[]): number {
  const { parallelism } = situation.daemonJob.spec;
  if (parallelism === undefined) return records.length;
  const most =
    typeof parallelism === 'number'
      ? parallelism
      : Math.ceil((Number.parseInt(parallelism, 10) * desiredOf(records).length) / 100);
  return Math.max(0, most - takenSlots(situation, records));
}

function slowStart(creates: readonly CreateOperation[]): readonly Stage[] {
  const stages: Stage[] = [];
  let size = 1;
  for (let from = 0; from < creates.length; from += stages.at(-1)?.length ?? 1) {
    stages.push(creates.slice(from, from + size));
    size = Math.min(size * 2, largestStage);
  }
  return stages;
}

/** Unfinished Jobs whose machine is gone, and its Pods with it. New Pods would wait for ever. */
export function orphanedJobs(situation: Situation): {
  readonly orphaned: readonly ObservedJob[];
  /** When the machines of other such Jobs count as gone: until then the view of nodes may be behind. */
  readonly doubtsMs: readonly number[];
} {
  const { snapshot } = situation;
  const uids = new Set<string>(snapshot.nodes.map(({ uid }) => uid));
  const byName = new Map(snapshot.nodes.map((node) => [node.name, node]));
  const lonely = snapshot.jobs.filter(
    (job) => isUnfinished(job) && isOfNode(job) && !uids.has(job.labels[labels.nodeUid] ?? ''),
  );
  const doubts = lonely.map((job) => inDoubtUntilMs(situation, byName.get(nodeNameOf(job)), job));
  return {
    orphaned: lonely.filter((_, index) => doubts[index] === undefined),
    doubtsMs: doubts.filter((ms) => ms !== undefined),
  };
}

function isOfNode({ labels: own, annotations: notes }: ObservedJob): boolean {
  return own[labels.nodeUid] !== undefined && notes[annotations.nodeName] !== undefined;
}

function nodeNameOf({ annotations: notes }: ObservedJob): string {
  return notes[annotations.nodeName] ?? '';
}

/** A view of nodes is behind by this time at most, milliseconds. */
const longestDelayMs = 60_000;

/**
 * A node that is older than the Job may be an earlier machine that an outdated view still shows. Returns
 * until when this is possible, milliseconds since the epoch. Undefined: it is not.
 */
function inDoubtUntilMs(
  { nowMs }: Situation,
  node: ObservedNode | undefined,
  { creationTimestamp }: ObservedJob,
): number | undefined {
  const nodeMs = parseTime(node?.creationTimestamp);
  const jobMs = parseTime(creationTimestamp);
  if (nodeMs === undefined || jobMs === undefined || nodeMs >= jobMs) return undefined;
  const untilMs = jobMs + longestDelayMs;
  return nowMs < untilMs ? untilMs : undefined;
}
