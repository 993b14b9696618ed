/** Removing what is finished: children by their own TTL, the flow by its (rule 14). */
import type { JobFlowStatus } from '#shared/api/job-flow.ts';
import { labels } from '#shared/domain/labels.ts';
import { childJobName } from '#shared/domain/names.ts';
import type { DeleteOperation, PatchOperation } from '#shared/domain/plan.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { isTtlWithheld as withholdsTtl, ttlPatches } from '#shared/domain/child-ttl.ts';
import { flowName } from './object-names.ts';
import { attemptOf, isOver } from './record.ts';
import { isFinished, type Situation } from './situation.ts';
import { resources } from '#shared/domain/resources.ts';

export function childTtlPatches(situation: Situation): readonly PatchOperation[] {
  return ttlPatches({ namespace: flowName(situation).namespace, ...childrenOf(situation) });
}

/** A finished child waits for its TTL until its result is on record. */
export function isTtlWithheld(situation: Situation): boolean {
  return withholdsTtl(childrenOf(situation));
}

function childrenOf(situation: Situation) {
  const isRecorded = (job: ObservedJob): boolean => isResultRecorded(situation, job);
  return { jobs: situation.snapshot.jobs, isRecorded };
}

function isResultRecorded(situation: Situation, job: ObservedJob): boolean {
  const { flow, recorded } = situation;
  const step = job.labels[labels.step];
  if (step === undefined) return false;
  const attempt = Number(job.labels[labels.attempt]);
  const record = recorded.get(step);
  if (record === undefined || childJobName(flow.metadata.name, step, attempt) !== job.name) {
    return false;
  }
  const current = attemptOf(record);
  if (attempt < current || record.state === 'Succeed') return true;
  if (attempt === current && record.state === 'Failed') return true;
  // Nothing waits for the Job of a skipped step, or for one attempt more: a pass that was overtaken has created it.
  return isOver(record.state) && isFinished(situation);
}

/** When the flow itself is to be deleted, after its end, milliseconds since the epoch; undefined: never. */
export function flowTtlDueMs({ flow }: Situation, status: JobFlowStatus): number | undefined {
  const { ttlSecondsAfterFinished } = flow.spec;
  if (ttlSecondsAfterFinished === undefined) return undefined;
  const completedMs = parseTime(status.completionTime);
  return completedMs === undefined ? undefined : completedMs + ttlSecondsAfterFinished * 1000;
}

/**
 * Bound to the version that was decided on: a retry that was asked for in the meantime makes it fail
 * (argo-workflows#12636). The garbage collector removes the children.
 */
export function deleteFlow(situation: Situation): DeleteOperation {
  const { uid, resourceVersion } = situation.flow.metadata;
  return {
    kind: 'delete',
    resource: resources.JobFlow,
    target: flowName(situation),
    uid,
    resourceVersion,
    propagation: 'Background',
  };
}
