/** Lists the reads that a decision needs, given what has been read so far. Reading too much is safe. */
import {
  jobFlowDefaults,
  type FlowStep,
  type JobFlow,
  type StepRecord,
} from '#shared/api/job-flow.ts';
import { ancestors } from '#shared/domain/dag.ts';
import { labels } from '#shared/domain/labels.ts';
import { pendingRetry } from '#shared/parents/manual-retry.ts';
import { nameOfTrace } from '#shared/domain/trace.ts';
import { childJobName } from '#shared/domain/names.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { manualRetry, type ManualRetry, startedByHand } from '../decide/retry.ts';
import { isBegun } from '../decide/situation.ts';
import { retriedTemplates } from '../decide/templates.ts';

/**
 * A flow without a status needs its children if the reader remembers some (`remembers`). A pass may
 * have ended between its first creates and its first status write, and a child may be gone since.
 * Otherwise creates are repeated and adopt what exists (law 2). A suspension, a start deadline and a
 * shutdown always need the children. A deleted flow does not; an ended one does, for their TTL.
 */
export function needsChildren({ metadata, spec, status }: JobFlow, remembers: boolean): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  if (status === undefined) {
    const mayEnd = spec.startDeadlineSeconds !== undefined || spec.shutdown !== undefined;
    return remembers || spec.suspend === true || mayEnd;
  }
  return true;
}

/**
 * Jobs that are not listed, although the status records them as existing, or although they existed
 * once and the status does not record them yet.
 */
export function missingNames(
  flow: JobFlow,
  jobs: readonly ObservedJob[],
  traces: readonly string[],
): readonly string[] {
  const present = new Set(jobs.map(({ name }) => name));
  const recorded = (flow.status?.jobStatusList ?? []).flatMap(({ state, jobName }) =>
    isUnderway(state) && jobName !== undefined && !present.has(jobName) ? [jobName] : [],
  );
  const gone = traces.map(nameOfTrace).filter((name) => !present.has(name));
  return [...recorded, ...unrecordedRemovals(flow, new Set(gone))];
}

function unrecordedRemovals(flow: JobFlow, gone: ReadonlySet<string>): readonly string[] {
  if (gone.size === 0) return [];
  const { metadata, spec, status } = flow;
  const records = new Map((status?.jobStatusList ?? []).map((record) => [record.name, record]));
  return spec.flows.flatMap(({ name }) => {
    const { state = 'Waiting', attempt = 0 } = records.get(name) ?? {};
    const jobName = childJobName(metadata.name, name, attempt);
    return isNotStarted(state) && gone.has(jobName) ? [jobName] : [];
  });
}

function retryOf(flow: JobFlow): ManualRetry {
  const records = flow.status?.jobStatusList ?? [];
  return manualRetry(flow, new Map(records.map((record) => [record.name, record])));
}

/** Names of Jobs that Blocked steps wait for, because a foreign Job under deletion had them. */
export function namesToLookAt({ metadata, status }: JobFlow): readonly string[] {
  if (metadata.deletionTimestamp !== undefined) return [];
  return (status?.jobStatusList ?? []).flatMap(({ name, state, reason, attempt = 0 }) =>
    state === 'Blocked' && reason === 'NameTerminating'
      ? [childJobName(metadata.name, name, attempt)]
      : [],
  );
}

/** Names of the JobTemplates to read now, each once. */
export function neededTemplates(flow: JobFlow, jobs: readonly ObservedJob[]): readonly string[] {
  const { metadata, spec, status } = flow;
  if (metadata.deletionTimestamp !== undefined || isOverForGood(flow)) return [];
  const pins = (spec.templatePolicy ?? jobFlowDefaults.templatePolicy) === 'PinAtStart';
  const pinned = new Set(pins ? (status?.pinnedTemplates ?? []).map(({ name }) => name) : []);
  for (const name of retriedTemplates(spec.flows, retryOf(flow))) pinned.delete(name);
  const steps = pins ? spec.flows : startableSteps(flow, jobs);
  const names = steps.flatMap(({ jobTemplateRef }) => jobTemplateRef ?? []);
  return [...new Set(names)].filter((name) => !pinned.has(name));
}

/**
 * Users change a JobTemplate and submit, retry or resume a flow a moment later. They mean the template
 * that the API server holds now, and a view may be behind. Later steps start without a user.
 */
export function readsTemplatesNow({ metadata, spec, status }: JobFlow): boolean {
  if (spec.suspend === true) return false;
  const isFirst = status?.startTime === undefined || status.state === 'Suspended';
  const isRetried = status?.jobStatusList?.some(({ reason }) => reason === startedByHand) === true;
  return isFirst || isRetried || pendingRetry(metadata, status) !== undefined;
}

/** Steps without a Job whose dependencies may be satisfied. */
function startableSteps(flow: JobFlow, jobs: readonly ObservedJob[]): readonly FlowStep[] {
  const records = new Map(
    (flow.status?.jobStatusList ?? []).map((record) => [record.name, record]),
  );
  // Any attempt counts: a later one may run before a status records it.
  const succeeded = jobs.filter(hasSucceeded);
  // A begun dependant proves that its dependency succeeded, even if one or both Jobs are gone (rule 20).
  const onRecord = [...records.values()].filter(isBegun).map(({ name }) => name);
  const begun = [...onRecord, ...jobs.flatMap((job) => job.labels[labels.step] ?? [])];
  const dependencies = new Map(flow.spec.flows.map((step) => [step.name, step.dependencies ?? []]));
  const isOnRecord = (name: string): boolean => records.get(name)?.state === 'Succeed';
  const proven = ancestors({ dependencies }, begun, isOnRecord);
  const finished = new Set([
    ...succeeded.flatMap((job) => [job.name, job.labels[labels.step]]),
    ...proven,
  ]);
  return flow.spec.flows.filter(({ name, dependencies = [] }) => {
    const record = records.get(name);
    if (record !== undefined && (record.state === 'Succeed' || isUnderway(record.state))) {
      return mayBeRetried(record, jobs);
    }
    return dependencies.every((dependency) => {
      const other = records.get(dependency);
      const jobName = childJobName(flow.metadata.name, dependency, other?.attempt ?? 0);
      return other?.state === 'Succeed' || finished.has(jobName) || finished.has(dependency);
    });
  });
}

/** A failed or lost attempt may be followed by another one in the same decision. */
function mayBeRetried({ state, jobName }: StepRecord, jobs: readonly ObservedJob[]): boolean {
  if (state === 'Succeed') return false;
  const job = jobs.find(({ name }) => name === jobName);
  return job === undefined || hasTrue(job, 'Failed');
}

function hasSucceeded(job: ObservedJob): boolean {
  return hasTrue(job, 'Complete') || hasTrue(job, 'SuccessCriteriaMet');
}

function hasTrue({ conditions }: ObservedJob, type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

function isNotStarted(state: StepRecord['state']): boolean {
  return state === 'Waiting' || state === 'Blocked';
}

function isUnderway(state: StepRecord['state']): boolean {
  return state === 'Pending' || state === 'Running' || state === 'Suspended';
}

function isOverForGood({ metadata, status }: JobFlow): boolean {
  const isOver = status?.state === 'Succeed' || status?.state === 'Failed';
  if (!isOver || status.startTime === undefined) return false;
  return pendingRetry(metadata, status) === undefined;
}
