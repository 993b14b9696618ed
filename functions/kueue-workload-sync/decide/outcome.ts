/** Decisions of the integration. */
import type { Decision } from '#shared/domain/decision.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { Plan, Stage } from '#shared/domain/plan.ts';
import { queuedNote } from '#shared/domain/queued-note.ts';
import { patchJob } from './operations.ts';
import type { Workload } from '../workload.ts';
import type { Situation } from './situation.ts';

/** The one Workload of a job, or the decision that is needed first. */
export type Ensured =
  | { readonly kind: 'one'; readonly workload: Workload }
  | { readonly kind: 'first'; readonly decision: Decision };

export function written(code: string, message: string, plan: Plan): Decision {
  return { plan: plan.filter((stage) => stage.length > 0), reasons: [{ code, message }] };
}

/** Nothing to do until the next event. */
export function notYet(code: string, message: string): Decision {
  return written(code, message, []);
}

/** Writes into the job's note why it waits. The note is written only when its text changes. */
export function noted(
  situation: Situation,
  message: string,
  before: readonly Stage[] = [],
  againInMs?: number,
): Decision {
  const { job, kind, queue, nowMs } = situation;
  const note = queuedNote({ queue, message });
  const isNoted = job.metadata.annotations?.[annotations.queued] === note;
  const isWaiting = situation.isSuspended && kind.endOf(job) === undefined;
  const plan = isNoted || !isWaiting ? [] : [...before, [patchNote(situation, note)]];
  return {
    ...written('Queued', message, plan),
    ...(againInMs === undefined ? {} : { requeueAtMs: nowMs + againInMs }),
  };
}

function patchNote(situation: Situation, note: string) {
  return patchJob(situation, { metadata: { annotations: { [annotations.queued]: note } } });
}
