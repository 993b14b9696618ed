/** The Jobs of a DaemonJob, and which results are on record. */
import { isLedgerEnd } from '#shared/api/node-ledger.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { Family } from '#shared/parents/family.ts';
import { runOf } from '../run-of-job.ts';
import type { Situation } from './situation.ts';

export function familyOf({ daemonJob, namespace, snapshot, recorded }: Situation): Family {
  const isRecorded = (job: ObservedJob): boolean => {
    const { key, attempt } = runOf(job);
    const entry = recorded.get(key);
    if (entry === undefined) return false;
    return entry.attempt > attempt || (entry.attempt === attempt && isLedgerEnd(entry.state));
  };
  return { owner: daemonJob.metadata.uid, namespace, jobs: snapshot.jobs, isRecorded };
}
