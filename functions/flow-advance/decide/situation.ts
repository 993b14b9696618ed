/** The snapshot, indexed once for the whole decision. */
import {
  jobFlowDefaults,
  type FlowStep,
  type JobFlow,
  type JobFlowStatus,
  type StepRecord,
} from '#shared/api/job-flow.ts';
import type { DecisionInput } from '#shared/domain/decision.ts';
import { ancestors, compileDag, type Dag } from '#shared/domain/dag.ts';
import { childJobName } from '#shared/domain/names.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { shutdown } from '#shared/domain/shutdown.ts';
import { sortedRejections } from '#shared/parents/refused-writes.ts';
import type { FlowSnapshot } from '../snapshot.ts';
import { isNotStarted } from './record.ts';

export interface Situation {
  readonly snapshot: FlowSnapshot;
  readonly flow: JobFlow;
  /** As observed. Empty: no status was written yet. */
  readonly status: JobFlowStatus;
  readonly nowMs: number;
  /** True: writes that can wait should wait. */
  readonly isUnderLoad: boolean;
  readonly dag: Dag;
  readonly recorded: ReadonlyMap<string, StepRecord>;
  readonly jobs: ReadonlyMap<string, ObservedJob>;
  readonly missing: ReadonlySet<string>;
  /** Steps that a begun step had to wait for, as far as they are not recorded as Succeed. */
  readonly awaited: () => ReadonlySet<string>;
  /** By object name: refused creates of this pass, and those that are known in advance. */
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** By the uid of the Job: refused changes of it. */
  readonly refusedWrites: ReadonlyMap<Uid, Rejection>;
}

export function openSituation(
  snapshot: FlowSnapshot,
  { nowMs, isUnderLoad }: DecisionInput,
): Situation {
  const { flow } = snapshot;
  const status = flow.status ?? {};
  const dag = compileDag(edgesOf(flow.spec.flows));
  const recorded = new Map((status.jobStatusList ?? []).map((record) => [record.name, record]));
  const jobs = new Map(snapshot.jobs.map((job) => [job.name, job]));
  return {
    snapshot,
    flow,
    status,
    nowMs,
    isUnderLoad: isUnderLoad === true,
    dag,
    recorded,
    jobs,
    awaited: once(() => awaitedSteps(flow, dag, recorded, jobs)),
    missing: new Set(snapshot.confirmedMissing),
    ...sortedRejections([...(snapshot.heldNames ?? []), ...snapshot.rejections]),
  };
}

function awaitedSteps(
  { metadata, spec }: JobFlow,
  dag: Dag,
  recorded: Situation['recorded'],
  jobs: Situation['jobs'],
): ReadonlySet<string> {
  const isSucceeded = (name: string): boolean => recorded.get(name)?.state === 'Succeed';
  const begun = spec.flows.filter(({ name }) => {
    const record = recorded.get(name);
    return isBegun(record) || jobs.has(childJobName(metadata.name, name, record?.attempt ?? 0));
  });
  return ancestors(
    dag,
    begun.map(({ name }) => name),
    isSucceeded,
  );
}

/** Computes on first use only: rarely needed, and it walks the whole flow. */
function once<Result>(find: () => Result): () => Result {
  let found: { readonly result: Result } | undefined;
  return () => (found ??= { result: find() }).result;
}

/** Judged by the record alone. */
export function isBegun(record: StepRecord | undefined): boolean {
  return record !== undefined && !isNotStarted(record.state) && record.state !== 'Skipped';
}

export function edgesOf(flows: readonly FlowStep[]): ReadonlyMap<string, readonly string[]> {
  return new Map(flows.map((step) => [step.name, dependenciesOf(step)]));
}

export function dependenciesOf({ dependencies }: FlowStep): readonly string[] {
  return dependencies ?? [];
}

/** The Job of this attempt, even if the status does not record it yet. */
export function jobOf(
  situation: Situation,
  step: string,
  attempt: number,
): ObservedJob | undefined {
  return situation.jobs.get(childJobName(situation.flow.metadata.name, step, attempt));
}

export function isTerminating({ flow }: Situation): boolean {
  return flow.metadata.deletionTimestamp !== undefined;
}

/** The first child was created. From then on the steps may not change (rule 16). */
export function hasStarted({ status }: Situation): boolean {
  return status.startTime !== undefined;
}

/**
 * The end is on record. A flow that ended without a start is judged again when its spec changes:
 * nothing ran, so nothing can run twice. A flow that was too late or shut down stays ended: neither
 * a change of the spec nor a clock that is set back starts it.
 */
export function isFinished(situation: Situation): boolean {
  const { status, flow } = situation;
  if (status.state !== 'Succeed' && status.state !== 'Failed') return false;
  const isJudged = status.observedGeneration === flow.metadata.generation;
  if (status.reason === shutdown) return true;
  return hasStarted(situation) || isJudged || status.reason === tooLateToStart;
}

/** Reason of a flow that could not be started within `startDeadlineSeconds`. */
export const tooLateToStart = 'StartDeadlineExceeded';

export function isSuspended({ flow }: Situation): boolean {
  return flow.spec.suspend === true;
}

export function failurePolicyOf({ flow }: Situation) {
  return flow.spec.failurePolicy ?? jobFlowDefaults.failurePolicy;
}
