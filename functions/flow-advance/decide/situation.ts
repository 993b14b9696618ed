/** The snapshot, indexed once for all parts of the decision. */
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
import type { Rejection } from '#shared/domain/rejection.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { shutdown } from '#shared/domain/shutdown.ts';
import type { FlowSnapshot } from '../snapshot.ts';
import { isNotStarted } from './record.ts';

export interface Situation {
  readonly snapshot: FlowSnapshot;
  readonly flow: JobFlow;
  /** As observed; empty when nothing was ever written. */
  readonly status: JobFlowStatus;
  readonly nowMs: number;
  /** What may wait should. */
  readonly isUnderLoad: boolean;
  readonly dag: Dag;
  readonly recorded: ReadonlyMap<string, StepRecord>;
  readonly jobs: ReadonlyMap<string, ObservedJob>;
  readonly missing: ReadonlySet<string>;
  /** Steps that something which has begun had to wait for, as far as the record is not certain of them. */
  readonly awaited: () => ReadonlySet<string>;
  /** By the name of the object: what was refused, and what is known to be refused. */
  readonly rejections: ReadonlyMap<string, Rejection>;
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
    rejections: new Map(
      [...(snapshot.heldNames ?? []), ...snapshot.rejections].map((each) => [each.name, each]),
    ),
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

/** Hardly ever asked for, and a walk over the whole flow. */
function once<Result>(find: () => Result): () => Result {
  let found: { readonly result: Result } | undefined;
  return () => (found ??= { result: find() }).result;
}

/** By what is on record. */
export function isBegun(record: StepRecord | undefined): boolean {
  return record !== undefined && !isNotStarted(record.state) && record.state !== 'Skipped';
}

export function edgesOf(flows: readonly FlowStep[]): ReadonlyMap<string, readonly string[]> {
  return new Map(flows.map((step) => [step.name, dependenciesOf(step)]));
}

export function dependenciesOf({ dependencies }: FlowStep): readonly string[] {
  return dependencies ?? [];
}

/** The Job of this attempt, whether or not the status knows of it yet. */
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

/** The first child was created: from here on the spec of the steps may not change (rule 16). */
export function hasStarted({ status }: Situation): boolean {
  return status.startTime !== undefined;
}

/**
 * The end is on record. A flow that ended without ever starting is looked at again when its spec
 * changed: nothing ran, so nothing can run twice. Not one that was too late or shut down: no change of the
 * spec, and no clock that is set back, starts it.
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
