import { type LedgerEntry, nodeKey } from '#shared/api/node-ledger.ts';
import { labels } from '#shared/domain/labels.ts';
import { asUid } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';

export interface RunOfJob extends Pick<LedgerEntry, 'attempt'> {
  /** What the ledger knows the machine by. */
  readonly key: string;
}

/** Which machine a Job is for, and which attempt on it, as its labels tell. */
export function runOf({ labels: own }: Pick<ObservedJob, 'labels'>): RunOfJob {
  return {
    key: nodeKey(asUid(own[labels.nodeUid] ?? '')),
    attempt: Number(own[labels.attempt] ?? 0),
  };
}
