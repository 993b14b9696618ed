/** The nodes in the status: counts, the ledger, and entries for nodes with a message. */
import type { DaemonJobStatus, NodeEntry, NodeEntryState } from '#shared/api/daemon-job.ts';
import { maxNodeEntries } from '#shared/api/daemon-job-status.ts';
import { storedLedger, type LedgerEntry } from '#shared/api/node-ledger.ts';
import { childState } from '#shared/domain/child-state.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { runOf } from '../run-of-job.ts';
import { desiredOf, inState, notReporting, type NodeRecord } from './nodes.ts';
import { jobNameOf } from './refusals.ts';
import { isUnfinished, nodeGone, type Situation } from './situation.ts';

type Counts = Required<
  Pick<DaemonJobStatus, 'desired' | 'active' | 'succeeded' | 'failed' | 'skipped' | 'waiting'>
>;

export function countsOf(records: readonly NodeRecord[]): Counts {
  const count = (...states: Parameters<typeof inState>[1][]) => inState(records, ...states).length;
  return {
    desired: desiredOf(records).length,
    active: count('Active'),
    succeeded: count('Succeeded'),
    failed: count('Failed', 'Cancelled'),
    skipped: count('Skipped'),
    waiting: count('Waiting'),
  };
}

/** Limit for entries of nodes that are gone. They are kept because the view of nodes may be behind. */
const keptOfGone = 500;

/**
 * Every node that was started, with its result. Entries of machines that are gone are kept up to a limit:
 * without its entry, a machine that exists after all would run twice.
 */
export function ledgerOf(
  situation: Situation,
  records: readonly NodeRecord[],
  unrecorded: readonly ObservedJob[],
): DaemonJobStatus['ledger'] {
  const { ledger: known } = situation.retry;
  const there = new Set(records.map(({ node }) => node.key));
  const gone = [...known].filter(([key]) => !there.has(key));
  const kept = gone.length > keptOfGone ? [] : gone;
  const present = records.flatMap((record) => {
    const entry = entryOf(record, known.get(record.node.key));
    return entry === undefined ? [] : [[record.node.key, entry] as const];
  });
  const vanished = unrecorded.map((job) => {
    const { key, attempt } = runOf(job);
    const hasSucceeded = childState(job, 'DaemonJob').kind === 'succeeded';
    return [key, { state: hasSucceeded ? 'Succeeded' : 'Started', attempt }] as const;
  });
  const ledger = new Map<string, LedgerEntry>([...kept, ...vanished, ...present]);
  return ledger.size === 0 ? undefined : storedLedger(ledger);
}

function entryOf(
  { state, attempt, job }: NodeRecord,
  known: LedgerEntry | undefined,
): LedgerEntry | undefined {
  switch (state) {
    case 'Succeeded':
    case 'Failed':
    case 'Cancelled':
      return { state, attempt };
    case 'Active':
      return { state: 'Started', attempt };
    case 'Waiting':
      // Its Job may still end before it is gone.
      if (known?.state === 'Retired' && known.attempt === attempt) return known;
      return attempt === 0 ? undefined : { state: 'Retrying', attempt };
    case 'Excluded': {
      const wasCreated = job !== undefined || known?.state === 'Started';
      return wasCreated ? { state: 'Retired', attempt } : known;
    }
    case 'Skipped':
    case 'Unselected':
      return known;
  }
}

/** Failed nodes first: among many, they matter most to a user. */
const order: readonly NodeEntryState[] = [
  'Failed',
  'Cancelled',
  'Blocked',
  'Running',
  'Unknown',
  'Suspended',
  'Skipped',
];

/** Undefined: no node has a message. */
export function entriesOf(
  situation: Situation,
  records: readonly NodeRecord[],
  orphaned: readonly ObservedJob[],
): DaemonJobStatus['nodes'] {
  const entries = [
    ...records.flatMap((record) => nodeEntry(situation, record)),
    ...orphaned.map(orphanEntry),
  ];
  const sorted = order.flatMap((state) => entries.filter((entry) => entry.state === state));
  return sorted.length === 0 ? undefined : sorted.slice(0, maxNodeEntries);
}

function nodeEntry(situation: Situation, record: NodeRecord): readonly NodeEntry[] {
  const { node, reason, message, completionTime } = record;
  const state = entryStateOf(record);
  if (state === undefined) return [];
  const hasJob = state !== 'Skipped' && state !== 'Blocked';
  return [
    {
      name: node.name,
      state,
      ...(hasJob ? { jobName: jobNameOf(situation, record) } : {}),
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
      ...(completionTime === undefined ? {} : { completionTime }),
    },
  ];
}

function entryStateOf({ state, reason, isBlocked, job }: NodeRecord): NodeEntryState | undefined {
  switch (state) {
    case 'Failed':
    case 'Cancelled':
    case 'Skipped':
      return state;
    case 'Waiting':
      return isBlocked === true ? 'Blocked' : undefined;
    case 'Active':
      if (reason === undefined) return undefined;
      if (reason === notReporting) return 'Unknown';
      return job?.suspend === true ? 'Suspended' : 'Running';
    case 'Succeeded':
    case 'Unselected':
    case 'Excluded':
      return undefined;
  }
}

/** Reported while its Job is being removed. It is no failure. */
function orphanEntry(job: ObservedJob): NodeEntry {
  return {
    name: job.annotations[annotations.nodeName] ?? '',
    state: 'Running',
    jobName: job.name,
    reason: nodeGone,
    message: 'the node is gone, so its Job is deleted',
  };
}

/** For a suspended DaemonJob: no Job has running Pods any more. */
export function isSettled(situation: Situation): boolean {
  return situation.snapshot.jobs.every(
    (job) =>
      !isUnfinished(job) ||
      (job.suspend &&
        (job.startTime === undefined ||
          job.conditions.some(({ type, status }) => type === 'Suspended' && status === 'True'))),
  );
}
