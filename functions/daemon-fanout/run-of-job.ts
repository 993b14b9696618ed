import { type LedgerEntry, nodeKey } from '#shared/api/node-ledger.ts';
import { labels } from '#shared/domain/labels.ts';
import { asUid } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';

export interface RunOfJob extends Pick<LedgerEntry, 'attempt'> {
  /** The machine's key in the ledger. */
  readonly key: string;
}

/** The machine and the attempt that a Job is for, by its labels. */
export function runOf({ labels: own }: Pick<ObservedJob, 'labels'>): RunOfJob {
  return {
    key: nodeKey(asUid(own[labels.nodeUid] ?? '')),
    attempt: Number(own[labels.attempt] ?? 0),
  };
}
