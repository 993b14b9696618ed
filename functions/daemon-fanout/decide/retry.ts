/** The retry by hand: failed and cancelled nodes start again, succeeded ones stay. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { isLedgerFailure, type Ledger, type LedgerEntry } from '#shared/api/node-ledger.ts';
import { pendingRetry, type RetryOutcome } from '#shared/parents/manual-retry.ts';
import { retryRefusal } from '#shared/domain/shutdown.ts';

export interface ManualRetry extends RetryOutcome {
  /** The ledger to continue from. */
  readonly ledger: Ledger;
}

export function manualRetry({ metadata, spec, status }: DaemonJob, recorded: Ledger): ManualRetry {
  const nonce = pendingRetry(metadata, status);
  if (nonce === undefined) return { nonce: status?.retryNonce, isNew: false, ledger: recorded };
  if (spec.shutdown !== undefined) {
    return { nonce, isNew: false, refusal: retryRefusal(spec.shutdown), ledger: recorded };
  }
  const ledger = new Map([...recorded].map(([key, entry]) => [key, afterRetry(entry)]));
  return { nonce, isNew: true, ledger };
}

/** The number of the failed attempt is used up, so that no name is used twice. */
function afterRetry(entry: LedgerEntry): LedgerEntry {
  const hasFailed = isLedgerFailure(entry.state);
  return hasFailed ? { state: 'Retrying', attempt: entry.attempt + 1 } : entry;
}
