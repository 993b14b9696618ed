/** From what is wanted to the plan that brings it about (P1 to P3 of shared/domain/plan.ts). */
import type { JobFlowStatus } from '#shared/api/job-flow.ts';
import type { Decision, Reason } from '#shared/domain/decision.ts';
import type { Operation, PatchStatusOperation, Plan, Stage } from '#shared/domain/plan.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { flowName } from './object-names.ts';
import { statusWrite } from './coalesce.ts';
import { eventsFor, lostFieldsEvents } from './events.ts';
import type { Situation } from './situation.ts';
import { pinnedAnew, transitionsOf, type Transitions } from './transitions.ts';
import { isTtlWithheld } from './ttl.ts';
import { resources } from '#shared/domain/resources.ts';

export interface Draft {
  /** Writes on children; independent of one another. */
  readonly operations: readonly Operation[];
  readonly status: JobFlowStatus;
  /** When to look again although nothing happens, milliseconds since the epoch. */
  readonly dueMs: readonly (number | undefined)[];
}

/** Children first, then the Events that tell of it, then the status that is the record of it. */
export function conclude(situation: Situation, draft: Draft): Decision {
  const write = statusWrite(situation, draft.status);
  const transitions = transitionsOf(situation.status, draft.status);
  const plan =
    write.patch === undefined
      ? [draft.operations, lostFieldsEvents(situation)]
      : [
          draft.operations,
          eventsFor(situation, transitions),
          [patchStatus(situation, write.patch)],
        ];
  const followUp = write.patch === undefined ? undefined : followUpMs(situation, transitions);
  return decision(plan, reasonsOf(transitions), [...draft.dueMs, write.dueMs, followUp]);
}

/**
 * What may be done once this status is written, and no event need tell that it is: a finished child gets
 * its TTL, and of a step that is on record as running it is asked why it does not.
 */
function followUpMs(situation: Situation, { before, steps }: Transitions): number | undefined {
  const known = new Map(before.jobStatusList?.map(({ name, state }) => [name, state]));
  const runs = steps.some(({ name, state }) => state === 'Running' && known.get(name) !== state);
  return runs || isTtlWithheld(situation) ? situation.nowMs : undefined;
}

export function decision(
  stages: Plan,
  reasons: readonly Reason[],
  dueMs: readonly (number | undefined)[],
): Decision {
  const plan = stages.filter((stage: Stage) => stage.length > 0);
  const times = dueMs.filter((time) => time !== undefined);
  return times.length === 0
    ? { plan, reasons }
    : { plan, reasons, requeueAtMs: Math.min(...times) };
}

function patchStatus(situation: Situation, status: JsonObject): PatchStatusOperation {
  const { uid, resourceVersion } = situation.flow.metadata;
  return {
    kind: 'patchStatus',
    resource: resources.JobFlow,
    target: flowName(situation),
    uid,
    resourceVersion,
    status,
  };
}

/** The flow's own word, and one for each step that has news. */
function reasonsOf({ before, after, steps }: Transitions): readonly Reason[] {
  const { state = 'Unknown' } = after;
  const refusal = after.conditions?.find(({ type }) => type === 'RetryRefused');
  const isRefused = refusal?.status === 'True' && before.retryNonce !== after.retryNonce;
  const flow: Reason = {
    code: after.reason ?? state,
    message: after.message ?? `the flow is ${state}`,
    fields: { state, progress: after.progress ?? '' },
  };
  return [
    flow,
    ...(isRefused ? [{ code: refusal.reason, message: refusal.message }] : []),
    ...pinnedAnew({ before, after }).map((message) => ({ code: 'TemplatePinnedAnew', message })),
    ...steps.map(({ name, state, attempt, reason, message }) => ({
      code: reason ?? state,
      message: `step ${name}: ${message ?? state}`,
      fields: { step: name, state, attempt: attempt ?? 0 },
    })),
  ];
}
