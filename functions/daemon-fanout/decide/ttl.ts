/** Removing the DaemonJob some time after its end; its Jobs go with it. */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { isLedgerEnd } from '#shared/api/node-ledger.ts';
import { isTtlWithheld as withholdsTtl, ttlPatches } from '#shared/domain/child-ttl.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import { parseTime } from '#shared/domain/time.ts';
import { runOf } from '../run-of-job.ts';
import { isEndless, type Situation } from './situation.ts';

export function childTtlPatches(situation: Situation): readonly PatchOperation[] {
  return ttlPatches({ namespace: situation.namespace, ...childrenOf(situation) });
}

/** A finished child waits for its TTL until its result is on record. */
export function isTtlWithheld(situation: Situation): boolean {
  return withholdsTtl(childrenOf(situation));
}

function childrenOf({ snapshot, recorded }: Situation) {
  const isRecorded = (job: ObservedJob): boolean => {
    const { key, attempt } = runOf(job);
    const entry = recorded.get(key);
    if (entry === undefined) return false;
    return entry.attempt > attempt || (entry.attempt === attempt && isLedgerEnd(entry.state));
  };
  return { jobs: snapshot.jobs, isRecorded };
}

/** When it is to be deleted, milliseconds since the epoch; undefined: never. */
export function ttlDueMs(situation: Situation, status: DaemonJobStatus): number | undefined {
  const { ttlSecondsAfterFinished } = situation.daemonJob.spec;
  if (ttlSecondsAfterFinished === undefined || isEndless(situation)) return undefined;
  const completedMs = parseTime(status.completionTime);
  return completedMs === undefined ? undefined : completedMs + ttlSecondsAfterFinished * 1_000;
}

/** Of the end that is on record. */
export function hasTtlPassed(situation: Situation): boolean {
  const dueMs = ttlDueMs(situation, situation.status);
  return dueMs !== undefined && dueMs <= situation.nowMs;
}
