/** Objects with defaults: a test states only what matters to its rule. */
import type { DaemonJob, DaemonJobSpec, DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { nodeKey, storedLedger, type LedgerEntry } from '#shared/api/node-ledger.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { nodeJobName } from '#shared/domain/node-job-name.ts';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import type { JobCondition, ObservedJob } from '#shared/domain/observed-job.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { DaemonSnapshot, ObservedNode } from '../snapshot.ts';

/** The time at which everything in a test was created, and its "now". */
export const t0 = Date.parse('2026-01-05T10:00:00Z');
export const at = (secondsAfterT0: number): string => rfc3339(t0 + secondsAfterT0 * 1000);

export const ownerName = 'wipe';
export const ownerUid = asUid('daemonjob-uid-1');

export interface DaemonJobFields {
  readonly spec?: Partial<DaemonJobSpec>;
  readonly status?: DaemonJobStatus;
  readonly generation?: number;
  readonly retry?: string;
  readonly deletionTimestamp?: string;
}

export function daemonJob(fields: DaemonJobFields = {}): DaemonJob {
  const { spec, status, generation = 1, retry, deletionTimestamp } = fields;
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'DaemonJob',
    metadata: {
      name: ownerName,
      namespace: 'default',
      uid: ownerUid,
      resourceVersion: asResourceVersion('100'),
      generation,
      creationTimestamp: at(0),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(retry === undefined ? {} : { annotations: { [annotations.retry]: retry } }),
    },
    spec: {
      template: { spec: { containers: [{ name: 'main', image: 'busybox:1.28' }] } },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** The status of a started DaemonJob, with these entries in its ledger. */
export function started(
  nodes: Readonly<Record<string, LedgerEntry['state'] | LedgerEntry>> = {},
  fields: Partial<DaemonJobStatus> = {},
): DaemonJobStatus {
  const entries = Object.entries(nodes).map(([name, entry]) => {
    const whole = typeof entry === 'string' ? { state: entry, attempt: 0 } : entry;
    return [node(name).key, whole] as const;
  });
  const failed = entries.filter(([, { state }]) => state === 'Failed' || state === 'Cancelled');
  return {
    state: 'Running',
    observedGeneration: 1,
    startTime: at(0),
    lastUpdateTime: at(0),
    failed: failed.length,
    ...(entries.length === 0 ? {} : { ledger: storedLedger(new Map(entries)) }),
    ...fields,
  };
}

/** A node that is older than everything else and can run the Pod. */
export function node(name: string, fields: Partial<ObservedNode> = {}): ObservedNode {
  const { uid = asUid(`uid-of-${name}`) } = fields;
  return { name, uid, key: nodeKey(uid), creationTimestamp: at(-3600), ...fields };
}

export const cordoned = { reason: 'Cordoned', message: 'the node is cordoned' };

export interface JobFields extends Partial<ObservedJob> {
  readonly attempt?: number;
  readonly machine?: string;
}

/** The Job of a node as the Job controller leaves it in this state. */
export function job(
  nodeName: string,
  state: 'pending' | 'running' | 'complete' | 'failed' | 'suspended',
  fields: JobFields = {},
): ObservedJob {
  const { attempt = 0, machine = `uid-of-${nodeName}`, ...rest } = fields;
  const name = nodeJobName(ownerName, nodeName, attempt);
  return {
    name,
    uid: asUid(`uid-of-${name}`),
    creationTimestamp: at(0),
    labels: {
      [labels.daemonJob]: ownerName,
      [labels.ownerUid]: ownerUid,
      [labels.nodeUid]: machine,
      [labels.attempt]: String(attempt),
    },
    annotations: { [annotations.nodeName]: nodeName },
    suspend: state === 'suspended',
    ...(state === 'pending' || state === 'suspended' ? {} : { startTime: at(1) }),
    ...(state === 'complete' ? { completionTime: at(9) } : {}),
    conditions: conditionsIn(state),
    ...rest,
  };
}

function conditionsIn(state: Parameters<typeof job>[1]): readonly JobCondition[] {
  const condition = (type: string, fields: Partial<JobCondition> = {}) => [
    { type, status: 'True', lastTransitionTime: at(9), ...fields },
  ];
  switch (state) {
    case 'complete':
      return condition('Complete');
    case 'failed':
      return condition('Failed', { reason: 'BackoffLimitExceeded', message: 'it failed' });
    case 'suspended':
      return condition('Suspended');
    case 'pending':
    case 'running':
      return [];
  }
}

export function snapshot(
  owner: DaemonJob,
  fields: Partial<Omit<DaemonSnapshot, 'daemonJob' | 'nodes'>> & {
    readonly nodes?: readonly (string | ObservedNode)[];
  } = {},
): DaemonSnapshot {
  const { nodes = [], ...rest } = fields;
  return {
    daemonJob: owner,
    nodes: nodes.map((each) => (typeof each === 'string' ? node(each) : each)),
    jobs: [],
    confirmedMissing: [],
    noticesRemovals: true,
    specHash: 'hash-of-spec',
    rejections: [],
    ...rest,
  };
}
