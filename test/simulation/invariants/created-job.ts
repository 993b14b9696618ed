/** What must hold at the moment a Job is created for a flow. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { backoffMs } from '#shared/domain/backoff.ts';
import { jobFlowDefaults } from '#shared/api/job-flow.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { childJobName } from '#shared/domain/names.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import type { Pass } from '../world/observed-function.ts';
import { type FlowMemory, type JobMemory, recordsOf } from './flow-memory.ts';

export interface Creation {
  readonly job: KubeObject;
  readonly created: JobMemory;
  readonly memory: FlowMemory;
  /** As committed at that moment; undefined when the flow is gone. */
  readonly flow: JobFlow | undefined;
  /** What the process that created it had decided on; undefined: nobody decided it. */
  readonly pass: Pass | undefined;
  /** The flow moved on after the server had been asked last: nothing can fence that. */
  readonly isRace: boolean;
  readonly trueNowMs: number;
  /** By how much clocks of the cluster differ at most, in milliseconds. */
  readonly skewMs: number;
}

export function creationFaults(creation: Creation): readonly string[] {
  const { isRace } = creation;
  return [
    ...(isRace
      ? []
      : [...twice(creation), ...againAfterSuccess(creation), ...afterwards(creation)]),
    ...wrongIdentity(creation),
    ...notDecided(creation),
    ...againstPolicy(creation),
    ...otherTemplate(creation),
    ...tooEarly(creation),
    ...tooManyAttempts(creation),
    ...retryTooSoon(creation),
  ].map((fault) => `${fault} (${creation.created.name})`);
}

/** I1 */
function twice({ memory, created }: Creation): readonly string[] {
  const known = memory.attempt(created.step, created.attempt);
  return known === undefined ? [] : ['I1: a second Job for one attempt of one step'];
}

/** I6: found again by owner and labels, never by name alone. */
function wrongIdentity({ job, created, memory }: Creation): readonly string[] {
  const owner = controllerOf(job.metadata);
  const name = childJobName(owner?.name ?? '', created.step, created.attempt);
  const isRight =
    job.metadata.name === name && job.metadata.labels?.[labels.flowUid] === memory.uid;
  return isRight ? [] : ['I6: name and labels of the Job do not tell whose it is'];
}

/** I4, I6, judged by what is committed. */
function afterwards({ flow }: Creation): readonly string[] {
  if (flow === undefined) return ['I6: created for a flow that is gone'];
  return notCalledFor(flow);
}

/** I4, judged by what the pass that created it could know. */
function notDecided({ pass }: Creation): readonly string[] {
  if (pass === undefined) return ['I16: a Job that no decision asked for'];
  return notCalledFor(pass.snapshot.flow);
}

function notCalledFor({ metadata, spec, status }: JobFlow): readonly string[] {
  if (metadata.deletionTimestamp !== undefined) return ['I4: created while the flow was deleted'];
  if (spec.suspend === true) return ['I4: created while the flow was suspended'];
  const isRetried = metadata.annotations?.[annotations.retry] !== status?.retryNonce;
  const isChanged =
    status?.startTime === undefined && status?.observedGeneration !== metadata.generation;
  const isOver = status?.state === 'Succeed' || status?.state === 'Failed';
  return isOver && !isRetried && !isChanged ? ['I4: created after the end of the flow'] : [];
}

/** Rule 12: after a failure nothing new starts, unless the policy says so or a person. */
function againstPolicy({ pass }: Creation): readonly string[] {
  const { spec, status } = pass?.snapshot.flow ?? {};
  const policy = spec?.failurePolicy ?? jobFlowDefaults.failurePolicy;
  if (policy === 'ContinueIndependent' || pendingRetry(pass) > 0) return [];
  const failed = (status?.jobStatusList ?? []).find(({ state }) => state === 'Failed');
  return failed === undefined ? [] : [`rule 12: ${policy}, and ${failed.name} had failed`];
}

/** Rule 17: what was pinned at the start is what runs. */
function otherTemplate({ pass, job, created }: Creation): readonly string[] {
  const { spec, status } = pass?.snapshot.flow ?? {};
  const template = spec?.flows.find(({ name }) => name === created.step)?.jobTemplateRef;
  const policy = spec?.templatePolicy ?? jobFlowDefaults.templatePolicy;
  if (template === undefined || policy !== 'PinAtStart') return [];
  if (status?.startTime === undefined) return [];
  // A template that was missing until now is pinned by the pass that starts the step.
  const pins = status.pinnedTemplates?.some(({ name }) => name === template)
    ? status
    : wanted(pass);
  const pinned = (pins?.pinnedTemplates ?? []).find(({ name }) => name === template)?.hash;
  const isPinned =
    pinned !== undefined && pinned === job.metadata.annotations?.[annotations.templateHash];
  return isPinned ? [] : [`rule 17: not from ${template} as it was pinned`];
}

/** The status that the pass writes. */
function wanted(pass: Pass | undefined): JobFlow['status'] {
  const write = pass?.decision.plan.flat().find(({ kind }) => kind === 'patchStatus');
  return write?.kind === 'patchStatus' ? write.status : undefined;
}

/** I2 */
function againAfterSuccess({ flow, created, memory }: Creation): readonly string[] {
  const record = recordsOf(flow).find(({ name }) => name === created.step);
  if (record?.state === 'Succeed') return ['I2: the step is on record as succeeded'];
  // One that was deleted took its result with it.
  const done = memory.jobs.some(
    (job) => job.step === created.step && job.isComplete && !job.isDeleted,
  );
  return done ? ['I2: a Job of the step has completed before'] : [];
}

/**
 * I3: every dependency was committed as over, by its Job or in the record. One that met its criteria
 * and is gone since has succeeded, also for those that waited for its completion.
 */
function tooEarly({ pass, flow, created, memory }: Creation): readonly string[] {
  const spec = (flow ?? pass?.snapshot.flow)?.spec;
  const step = spec?.flows.find(({ name }) => name === created.step);
  const early = step?.startOn === 'SuccessCriteriaMet';
  const isOver = (name: string): boolean =>
    recordsOf(flow).some((record) => record.name === name && record.state === 'Succeed') ||
    memory.jobs.some(
      (job) =>
        job.step === name && (job.isComplete || (job.meetsCriteria && (early || job.isGone))),
    );
  return (step?.dependencies ?? [])
    .filter((name) => !isOver(name))
    .map((name) => `I3: created before ${name} was over`);
}

/** I10: as many attempts as policy and people granted. */
function tooManyAttempts({ pass, created, memory }: Creation): readonly string[] {
  const step = pass?.snapshot.flow.spec.flows.find(({ name }) => name === created.step);
  const limit = step?.retryPolicy?.limit ?? 0;
  const granted = limit + memory.manualRetries + pendingRetry(pass);
  return created.attempt <= granted ? [] : [`I10: attempt ${created.attempt}, granted ${granted}`];
}

/** One that the pass acts on and that is not recorded yet. */
function pendingRetry(pass: Pass | undefined): number {
  const { metadata, status } = pass?.snapshot.flow ?? {};
  const nonce = metadata?.annotations?.[annotations.retry];
  return nonce !== undefined && nonce !== status?.retryNonce ? 1 : 0;
}

/** I18: the wait before a retry is kept, give or take what the clocks differ. */
function retryTooSoon({ pass, created, memory, trueNowMs, skewMs }: Creation): readonly string[] {
  if (created.attempt === 0 || memory.manualRetries + pendingRetry(pass) > 0) return [];
  const step = pass?.snapshot.flow.spec.flows.find(({ name }) => name === created.step);
  const failedAtMs = memory.attempt(created.step, created.attempt - 1)?.failedAtMs;
  if (failedAtMs === undefined) return [];
  const policy = { ...jobFlowDefaults.retryPolicy, ...step?.retryPolicy };
  const waitMs = backoffMs(
    {
      initialMs: policy.backoffSeconds * 1_000,
      factor: policy.factor,
      capMs: policy.capSeconds * 1_000,
    },
    created.attempt,
  );
  // Times of the API have whole seconds.
  const earliestMs = failedAtMs + waitMs - 1_000 - skewMs;
  return trueNowMs >= earliestMs ? [] : [`I18: retried ${earliestMs - trueNowMs} ms too early`];
}
