/** A status reduced to its facts, independent of the wording. */
import type { DaemonJob, DaemonJobStatus, NodeEntry } from '#shared/api/daemon-job.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { conditionOf, jobParts } from '../../model/job-fate.ts';
import { conditionsOn, type PredictedConditions } from '../../model/predicted-conditions.ts';
import { jobName } from './job-name.ts';
import { type Entry, type Ledger, ledgerOn, ledgerToGoOnFrom, machineKey } from './ledger.ts';
import { attemptOn, type DaemonLook, machineOf, nodeOf } from './look.ts';
import { among, desired, type NodeState } from './node-states.ts';

type Mentions = readonly string[] | undefined;

export interface PredictedEntry extends Omit<NodeEntry, 'message'> {
  readonly mentions?: Mentions;
}

const counted = ['desired', 'active', 'succeeded', 'failed', 'skipped', 'waiting'] as const;
const single = [
  'state',
  'reason',
  'observedGeneration',
  'retryNonce',
  'startTime',
  'completionTime',
] as const;

type Field = (typeof counted)[number] | (typeof single)[number];

export type PredictedStatus = { readonly [Name in Field]?: DaemonJobStatus[Name] | undefined } & {
  readonly nodes: readonly PredictedEntry[];
  readonly ledger: Ledger;
  readonly conditions: PredictedConditions;
  /** The message of the whole must mention this. */
  readonly mentions?: Mentions;
};

export const predictedFields = [...single, ...counted];

const known = new WeakMap<DaemonJobStatus, PredictedStatus>();
const nothing: DaemonJobStatus = {};

export function onRecord({ status = nothing }: Pick<DaemonJob, 'status'>): PredictedStatus {
  const predicted = known.get(status) ?? predictedBy(status);
  known.set(status, predicted);
  return predicted;
}

function predictedBy(status: DaemonJobStatus): PredictedStatus {
  const fields = predictedFields.flatMap((name) => (name in status ? [[name, status[name]]] : []));
  return {
    ...(Object.fromEntries(fields) as Pick<PredictedStatus, Field>),
    nodes: status.nodes ?? [],
    ledger: ledgerOn({ status }),
    conditions: conditionsOn(status.conditions),
  };
}

export function countsOf(nodes: readonly NodeState[]) {
  const count = (...states: readonly NodeState['state'][]) => among(nodes, ...states).length;
  return {
    desired: desired(nodes).length,
    active: count('Active'),
    succeeded: count('Succeeded'),
    failed: count('Failed', 'Cancelled'),
    skipped: count('Skipped'),
    waiting: count('Waiting'),
  };
}

/** Removed machines stay in it: if they came back, they would run a second time. */
export function ledgerAfter(
  look: DaemonLook,
  nodes: readonly NodeState[],
  unrecorded: readonly KubeObject[],
): Ledger {
  const before = ledgerToGoOnFrom(look.daemonJob);
  const ledger = new Map(before);
  for (const job of unrecorded) {
    const hasSucceeded = conditionOf(job, 'Complete') !== undefined;
    const entry = { state: hasSucceeded ? 'Succeeded' : 'Started', attempt: attemptOn(job) };
    ledger.set(machineKey(machineOf(job) ?? ''), entry);
  }
  for (const each of nodes) {
    const key = machineKey(each.node.metadata.uid);
    const entry = entryAfter(each, before.get(key));
    if (entry === undefined) ledger.delete(key);
    else ledger.set(key, entry);
  }
  return ledger;
}

function entryAfter({ state, attempt, job }: NodeState, was: Entry | undefined) {
  switch (state) {
    case 'Succeeded':
    case 'Failed':
    case 'Cancelled':
      return { state, attempt };
    case 'Active':
      return { state: 'Started', attempt };
    case 'Waiting':
      if (was?.state === 'Retired' && was.attempt === attempt) return was;
      return attempt === 0 ? undefined : { state: 'Retrying', attempt };
    case 'Excluded': {
      const hadJob = job !== undefined || was?.state === 'Started';
      return hadJob ? { state: 'Retired', attempt } : was;
    }
    case 'Skipped':
    case 'Unselected':
      return was;
  }
}

/** In the order of their importance to users. */
const order = ['Failed', 'Cancelled', 'Blocked', 'Running', 'Unknown', 'Suspended', 'Skipped'];

/** Nodes that plainly run, wait or have succeeded have no entry. */
export function entriesOf(
  { daemonJob }: DaemonLook,
  nodes: readonly NodeState[],
  orphaned: readonly KubeObject[],
): readonly PredictedEntry[] {
  const predicted = nodes.flatMap((each): readonly PredictedEntry[] => {
    const { node, attempt, reason, mentions, completionTime } = each;
    const state = stateOf(each);
    if (state === undefined) return [];
    const { name } = node.metadata;
    const hasJob = state !== 'Skipped' && state !== 'Blocked';
    const job = hasJob ? { jobName: jobName(daemonJob, name, attempt) } : {};
    const time = completionTime === undefined ? {} : { completionTime };
    return [
      { name, state, ...job, ...(reason === undefined ? {} : { reason }), ...time, mentions },
    ];
  });
  const gone = orphaned.map((job): PredictedEntry => {
    const name = nodeOf(job) ?? '';
    return { name, state: 'Running', jobName: job.metadata.name, reason: 'NodeGone' };
  });
  const all = [...predicted, ...gone];
  return order.flatMap((state) => all.filter((entry) => entry.state === state)).slice(0, 100);
}

function stateOf({ state, reason, isBlocked, job }: NodeState): NodeEntry['state'] | undefined {
  if (state === 'Failed' || state === 'Cancelled' || state === 'Skipped') return state;
  if (state === 'Waiting') return isBlocked === true ? 'Blocked' : undefined;
  if (state !== 'Active' || reason === undefined) return undefined;
  if (reason === 'NodeNotReady') return 'Unknown';
  return job !== undefined && jobParts(job).spec.suspend === true ? 'Suspended' : 'Running';
}
