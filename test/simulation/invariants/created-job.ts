/**
 * Invariants of the creation of a Job for a flow.
 *
 * Nothing can fence a create between a process's last look at the API server and the create's arrival. If a create
 * breaks a rule by a fact from that time, it is not a violation and is only counted (`Overtaking`). A fact that
 * existed at the look makes it a violation.
 */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { backoffMs } from '#shared/domain/backoff.ts';
import { jobFlowDefaults } from '#shared/api/job-flow.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { childJobName } from '#shared/domain/names.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import type { Pass } from '../model/kind-model.ts';
import { type FlowMemory, type JobMemory, recordsOf } from './flow-memory.ts';
import { lookedAtMs } from './pass-book.ts';

export interface Creation {
  readonly job: KubeObject;
  readonly created: JobMemory;
  readonly memory: FlowMemory;
  /** As committed at that moment. Undefined: the flow is gone. */
  readonly flow: JobFlow | undefined;
  /** The decision of the creating process. Undefined: there was none. */
  readonly pass: Pass<FlowSnapshot> | undefined;
  /**
   * When the server confirmed to the process that the decided version is current, in virtual milliseconds. Undefined:
   * never since it began to observe.
   */
  readonly confirmedAtMs: number | undefined;
  /** When a later version was committed, in virtual milliseconds. Undefined: there is none. */
  readonly supersededAtMs: number | undefined;
}

export const overtakings = ['twice', 'after success', 'after the end'] as const;

/** Events that overtake a create: another create, a success, the end or suspension of its flow. */
export type Overtaking = (typeof overtakings)[number];

interface Breach {
  readonly kind: Overtaking;
  readonly fault: string;
  /** The process cannot have known it: it was committed after the server's confirmation. */
  readonly isNews: boolean;
}

export interface CreationVerdict {
  readonly faults: readonly string[];
  readonly overtakenBy: readonly Overtaking[];
}

export function creationVerdict(creation: Creation): CreationVerdict {
  const breaches = [...twice(creation), ...againAfterSuccess(creation), ...afterwards(creation)];
  const blamed = breaches.filter(({ isNews }) => !isNews).map(({ fault }) => fault);
  const excused = breaches.filter(({ isNews }) => isNews).map(({ kind }) => kind);
  return {
    faults: [...blamed, ...plainFaults(creation)].map(
      (fault) => `${fault} (${creation.created.name})`,
    ),
    overtakenBy: excused,
  };
}

function plainFaults(creation: Creation): readonly string[] {
  return [
    ...wrongIdentity(creation),
    ...notDecided(creation),
    ...againstPolicy(creation),
    ...otherTemplate(creation),
    ...tooEarly(creation),
    ...tooManyAttempts(creation),
    ...retryTooSoon(creation),
    ...tooManyAtOnce(creation),
  ];
}

/**
 * Rule 24: no more Jobs run than permitted, among those that existed when the creating process looked. The model checks
 * those that it created in the same plan.
 */
function tooManyAtOnce({ pass, created, memory }: Creation): readonly string[] {
  const { parallelism } = pass?.snapshot.flow.spec ?? {};
  if (pass === undefined || parallelism === undefined) return [];
  const running = memory.jobs.filter(
    (job) =>
      job.uid !== created.uid &&
      job.createdAtMs <= lookedAtMs(pass) &&
      job.goneAtMs === undefined &&
      !job.isComplete &&
      job.failedAtMs === undefined,
  );
  if (running.length < parallelism) return [];
  return [`rule 24: ${running.length} steps ran, allowed ${parallelism}`];
}

function isNews({ confirmedAtMs }: Creation, committedAtMs: number): boolean {
  return confirmedAtMs !== undefined && committedAtMs > confirmedAtMs;
}

/**
 * I1. The name of a Job was a lock at the last look and has ceased to be one since. If a Job was removed before a
 * status recorded it, only notes show it to other processes. A process without notes cannot know it (windows of ADR
 * 10).
 */
function twice(creation: Creation): readonly Breach[] {
  const { memory, created } = creation;
  const known = memory.attempt(created.step, created.attempt);
  if (known === undefined) return [];
  const fault = 'I1: a second Job for one attempt of one step';
  const overtakenAtMs = known.goneAtMs ?? known.createdAtMs;
  const isUnseen = known.goneAtMs !== undefined && wentUnseen(known, creation);
  return [{ kind: 'twice', fault, isNews: isUnseen || isNews(creation, overtakenAtMs) }];
}

function wentUnseen({ name, creator }: JobMemory, { pass }: Creation): boolean {
  if (pass === undefined || creator === pass.life) return false;
  const { life, sinceMs, snapshot } = pass;
  const isBlind = (life.viewsAwayUntilMs ?? -Infinity) >= sinceMs;
  return isBlind && !recordsOf(snapshot.flow).some(({ jobName }) => jobName === name);
}

/** I6: Jobs are found by owner and labels, never by name alone. */
function wrongIdentity({ job, created, memory }: Creation): readonly string[] {
  const owner = controllerOf(job.metadata);
  const name = childJobName(owner?.name ?? '', created.step, created.attempt);
  const isRight =
    job.metadata.name === name && job.metadata.labels?.[labels.ownerUid] === memory.uid;
  return isRight ? [] : ['I6: name and labels of the Job do not name its owner'];
}

/**
 * I4, I6, judged by the commits. The decided version required this create, or `notDecided` reports it. So any end
 * came with a later version.
 */
function afterwards(creation: Creation): readonly Breach[] {
  const { flow } = creation;
  const faults = flow === undefined ? ['I6: created for a flow that is gone'] : notCalledFor(flow);
  const isNewsOf = isNews(creation, creation.supersededAtMs ?? -Infinity);
  return faults.map((fault) => ({ kind: 'after the end', fault, isNews: isNewsOf }));
}

/** I4, judged by what the creating pass could know. */
function notDecided({ pass }: Creation): readonly string[] {
  if (pass === undefined) return ['I16: a Job that no decision asked for'];
  return notCalledFor(pass.snapshot.flow);
}

function notCalledFor({ metadata, spec, status }: JobFlow): readonly string[] {
  if (metadata.deletionTimestamp !== undefined) return ['I4: created while the flow was deleted'];
  if (spec.suspend === true) return ['I4: created while the flow was suspended'];
  // A flow that never ran is judged again if it was changed or a retry was requested. A retry is recorded before it
  // runs.
  const isAsked = metadata.annotations?.[annotations.retry] !== status?.retryNonce;
  const isChanged =
    status?.startTime === undefined &&
    (isAsked || status?.observedGeneration !== metadata.generation);
  const isOver = status?.state === 'Succeed' || status?.state === 'Failed';
  return isOver && !isChanged ? ['I4: created after the end of the flow'] : [];
}

/**
 * Rule 12: after a failure nothing new starts, unless the policy or a user allows it. A step that a shutdown or the
 * deadline ended did not fail by itself, and a user may lift both before the end of the flow.
 */
function againstPolicy({ pass }: Creation): readonly string[] {
  const { spec, status } = pass?.snapshot.flow ?? {};
  const policy = spec?.failurePolicy ?? jobFlowDefaults.failurePolicy;
  if (policy === 'ContinueIndependent') return [];
  const failed = (status?.jobStatusList ?? []).find(
    ({ state, reason = '' }) =>
      state === 'Failed' && !['Shutdown', 'FlowDeadlineExceeded'].includes(reason),
  );
  return failed === undefined ? [] : [`rule 12: ${policy}, and ${failed.name} had failed`];
}

/** Rule 17: the template that was pinned at the start is used. */
function otherTemplate({ pass, job, created }: Creation): readonly string[] {
  const { spec, status } = pass?.snapshot.flow ?? {};
  const template = spec?.flows.find(({ name }) => name === created.step)?.jobTemplateRef;
  const policy = spec?.templatePolicy ?? jobFlowDefaults.templatePolicy;
  if (template === undefined || policy !== 'PinAtStart') return [];
  if (status?.startTime === undefined) return [];
  // A previously missing template is pinned by the pass that starts the step.
  const written = wanted(pass);
  const isKnown = status.pinnedTemplates?.some(({ name }) => name === template);
  const pins = isKnown ? status : written;
  const pinned = (pins?.pinnedTemplates ?? []).find(({ name }) => name === template)?.hash;
  const isPinned =
    pinned !== undefined && pinned === job.metadata.annotations?.[annotations.templateHash];
  return isPinned ? [] : [`rule 17: not from ${template} as it was pinned`];
}

/** The status that the pass writes. */
function wanted(pass: Pass<FlowSnapshot> | undefined): JobFlow['status'] {
  const write = pass?.decision.plan.flat().find(({ kind }) => kind === 'patchStatus');
  return write?.kind === 'patchStatus' ? write.status : undefined;
}

/** I2 */
function againAfterSuccess(creation: Creation): readonly Breach[] {
  const { flow, created, memory, pass } = creation;
  const kind = 'after success';
  if (isOnRecord(flow, created)) {
    const wasKnownSo =
      isOnRecord(pass?.snapshot.flow, created) ||
      !isNews(creation, creation.supersededAtMs ?? -Infinity);
    return [{ kind, fault: 'I2: the step is on record as succeeded', isNews: !wasKnownSo }];
  }
  // A deleted Job took its result with it.
  return memory.jobs
    .filter((job) => job.step === created.step && job.isComplete && !job.isDeleted)
    .slice(0, 1)
    .map(({ completedAtMs = 0 }) => ({
      kind,
      fault: 'I2: a Job of the step has completed before',
      isNews: isNews(creation, completedAtMs),
    }));
}

function isOnRecord(flow: JobFlow | undefined, { step }: JobMemory): boolean {
  return recordsOf(flow).some(({ name, state }) => name === step && state === 'Succeed');
}

/**
 * I3: every dependency was committed as over, by its Job or in the record. A vanished one that met its criteria has
 *     succeeded, even for steps that waited for its completion.
 */
function tooEarly({ pass, flow, created, memory }: Creation): readonly string[] {
  const spec = (flow ?? pass?.snapshot.flow)?.spec;
  const step = spec?.flows.find(({ name }) => name === created.step);
  const early = step?.startOn === 'SuccessCriteriaMet';
  const isOver = (name: string): boolean =>
    recordsOf(flow).some((record) => record.name === name && record.state === 'Succeed') ||
    memory.jobs.some(
      (job) =>
        job.step === name &&
        (job.isComplete || (job.meetsCriteria && (early || job.goneAtMs !== undefined))),
    );
  return (step?.dependencies ?? [])
    .filter((name) => !isOver(name))
    .map((name) => `I3: created before ${name} was over`);
}

/** I10: no more attempts than policy and users granted. */
function tooManyAttempts({ pass, created, memory }: Creation): readonly string[] {
  const step = pass?.snapshot.flow.spec.flows.find(({ name }) => name === created.step);
  const limit = step?.retryPolicy?.limit ?? 0;
  const granted = limit + memory.manualRetries;
  return created.attempt <= granted ? [] : [`I10: attempt ${created.attempt}, granted ${granted}`];
}

/**
 * I18: the wait before a retry counts from the end that the controller wrote to the time of the decision. Once it is
 *      over for one decision, it is over for all. A refused attempt no longer waits for it, and neither does a step
 *      that is recorded as waiting for something else.
 */
function retryTooSoon({ pass, flow, created, memory }: Creation): readonly string[] {
  if (pass === undefined || created.attempt === 0) return [];
  if (memory.manualRetries > 0) return [];
  const record = recordsOf(flow).find(({ name }) => name === created.step);
  if (record?.state === 'Waiting' && record.nextRetryTime === undefined) return [];
  const stamps = memory.jobs
    .filter((job) => job.step === created.step && job.attempt === created.attempt - 1)
    .flatMap((job) => endsToWaitFrom(job));
  if (stamps.length === 0) return [];
  const decidedMs = memory.decidedMs.get(created.name) ?? pass.nowMs;
  const earlyMs = Math.min(...stamps) + waitMs(pass, created) - decidedMs;
  return earlyMs <= 0 ? [] : [`I18: retried ${earlyMs} ms too early`];
}

/** Not for a deleted Job: a run that missed it counts from when it noticed that. */
function endsToWaitFrom({ failedStampMs, goneAtMs }: JobMemory): readonly number[] {
  return failedStampMs === undefined || goneAtMs !== undefined ? [] : [failedStampMs];
}

function waitMs({ snapshot }: Pass<FlowSnapshot>, { step, attempt }: JobMemory): number {
  const { retryPolicy } = snapshot.flow.spec.flows.find(({ name }) => name === step) ?? {};
  const policy = { ...jobFlowDefaults.retryPolicy, ...retryPolicy };
  const backoff = {
    initialMs: policy.backoffSeconds * 1_000,
    factor: policy.factor,
    capMs: policy.capSeconds * 1_000,
  };
  return backoffMs(backoff, attempt);
}
