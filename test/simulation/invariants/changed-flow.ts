/** Invariants between successive committed states of a flow. */
import type { JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import { type FlowMemory, isOver, type JobMemory, recordsOf } from './flow-memory.ts';

export interface FlowChange {
  readonly before: JobFlow;
  readonly after: JobFlow;
  readonly memory: FlowMemory;
}

export function changeFaults(change: FlowChange): readonly string[] {
  return [
    ...endTakenBack(change),
    ...generationSank(change),
    ...recordsOf(change.after).flatMap((record) => [
      ...recordTakenBack(change, record),
      ...foreignJob(change, record),
      ...unfoundedSuccess(change, record),
      ...unfoundedFailure(change, record),
    ]),
    ...wrongEnd(change.after),
    ...flappingConditions(change),
  ].map((fault) => `${fault} (${change.after.metadata.name})`);
}

/** I7 */
function endTakenBack({ before, after }: FlowChange): readonly string[] {
  const was = before.status?.state;
  const is = after.status?.state;
  const wasOver = was === 'Succeed' || was === 'Failed';
  const isRetry = after.status?.retryNonce !== before.status?.retryNonce;
  const neverRan = before.status?.startTime === undefined;
  if (!wasOver || is === was || is === 'Terminating' || isRetry || neverRan) return [];
  return [`I7: the flow went from ${was} to ${is ?? 'nothing'}`];
}

/** I7 */
function generationSank({ before, after }: FlowChange): readonly string[] {
  const was = before.status?.observedGeneration ?? 0;
  const is = after.status?.observedGeneration ?? 0;
  return is < was ? [`I7: observedGeneration went from ${was} to ${is}`] : [];
}

/** I2: what is over stays over, and attempts only increase. */
function recordTakenBack({ before, after }: FlowChange, record: StepRecord): readonly string[] {
  const was = recordsOf(before).find(({ name }) => name === record.name);
  if (was === undefined) return [];
  const from = was.attempt ?? 0;
  const to = record.attempt ?? 0;
  const givesUp = ['RetryAbandoned', 'Shutdown', 'FlowDeadlineExceeded'].includes(
    record.reason ?? '',
  );
  const isAbandoned = givesUp && to === from - 1;
  if (to < from && !isAbandoned) return [`I2: ${record.name} went from attempt ${from} to ${to}`];
  const isRetry = after.status?.retryNonce !== before.status?.retryNonce;
  if (!isOver(was.state) || was.state === record.state || isRetry) return [];
  // Another worker had started it from an older view.
  if (was.state === 'Skipped') return [];
  return [`I2: ${record.name} went from ${was.state} to ${record.state}`];
}

/** I6: a record names only Jobs of its own flow. */
function foreignJob({ memory }: FlowChange, record: StepRecord): readonly string[] {
  if (record.jobUID === undefined) return [];
  const job = memory.jobOf(record.jobUID);
  return job?.step === record.name ? [] : [`I6: ${record.name} is recorded by a foreign Job`];
}

/** I5: a recorded success needs a Job with a committed success. */
function unfoundedSuccess({ before, memory }: FlowChange, record: StepRecord): readonly string[] {
  if (record.state !== 'Succeed' || sameAs(before, record)) return [];
  const proven = memory.jobs.some(
    (job) => job.step === record.name && (job.isComplete || job.meetsCriteria),
  );
  return proven ? [] : [`I5: ${record.name} is on record as succeeded and never did`];
}

/** I5: a recorded failure needs a failed or deleted Job. */
function unfoundedFailure({ before, memory }: FlowChange, record: StepRecord): readonly string[] {
  if (sameAs(before, record)) return [];
  const { state, reason, attempt = 0 } = record;
  // Several Jobs may exist for one attempt (see I1); the record may be about any of them.
  const has = (number: number, holds: (job: JobMemory) => boolean): boolean =>
    memory.jobs.some((job) => job.step === record.name && job.attempt === number && holds(job));
  const hasFailed = has(attempt, ({ failedAtMs }) => failedAtMs !== undefined);
  if (state === 'Failed' && reason === 'BackoffLimitExceeded' && !hasFailed) {
    return [`I5: ${record.name} is on record as failed and its Job never did`];
  }
  const words = `${reason ?? ''} ${record.message ?? ''}`;
  if (!words.includes('ChildDeleted') && reason !== 'Cancelled') return [];
  const missing = state === 'Failed' ? attempt : attempt - 1;
  return has(missing, ({ isDeleted }) => isDeleted)
    ? []
    : [`I5: on record as deleted, and its Job exists: ${JSON.stringify(record)}`];
}

function sameAs(before: JobFlow, record: StepRecord): boolean {
  const was = recordsOf(before).find(({ name }) => name === record.name);
  return (
    was?.state === record.state && was.attempt === record.attempt && was.reason === record.reason
  );
}

/** Rule 9: the time of a condition is that of its last change. */
function flappingConditions({ before, after }: FlowChange): readonly string[] {
  const known = new Map(before.status?.conditions?.map((each) => [each.type, each]));
  return (after.status?.conditions ?? []).flatMap(({ type, status, lastTransitionTime }) => {
    const was = known.get(type);
    const isSame = was?.status === status && was.lastTransitionTime !== lastTransitionTime;
    return isSame ? [`rule 9: ${type} stayed ${status}, its lastTransitionTime moved`] : [];
  });
}

/** The end of the flow follows from the ends of its steps. */
function wrongEnd(flow: JobFlow): readonly string[] {
  const { metadata, spec, status } = flow;
  const { state } = status ?? {};
  const jobStatusList = recordsOf(flow);
  if (state === 'Succeed') {
    const isRight =
      jobStatusList.length === spec.flows.length &&
      jobStatusList.every((record) => record.state === 'Succeed');
    return isRight ? [] : ['I5: succeeded although not every step did'];
  }
  if (state !== 'Failed' || jobStatusList.length === 0) return [];
  const open = jobStatusList.filter((record) => !isOver(record.state));
  return open.length === 0
    ? []
    : [`I5: ${metadata.name} failed while ${open[0]!.name} was ${open[0]!.state}`];
}
