/** Entries of `status.jobStatusList`: one place that says which fields a step has in which state. */
import type { StepRecord, StepState } from '#shared/api/job-flow.ts';
import { setOwnMember } from '#shared/domain/own-member.ts';
import { listed, maxMessageLength, shortened } from '#shared/domain/wording.ts';

export { listed, maxMessageLength, shortened };

export function isOver(state: StepState): boolean {
  return state === 'Succeed' || state === 'Failed' || state === 'Skipped';
}

export function isNotStarted(state: StepState): boolean {
  return state === 'Waiting' || state === 'Blocked';
}

/** The reason of a step whose Job lacks what its template misspells. */
export const unknownField = 'UnknownField';

/** Reasons of a running step that is on its way to its end, or to its suspension. */
const waysOut: ReadonlySet<string> = new Set([
  'Cancelling',
  'ChildTerminating',
  'FailureTarget',
  'FlowDeadlineExceeded',
  'Shutdown',
  'SuccessCriteriaMet',
  'Suspending',
]);

export function isOnTheWay(reason: string | undefined): boolean {
  return reason !== undefined && waysOut.has(reason);
}

/** It waits for its Pods to be gone, which usually passes by itself. */
export function isOnItsWay({ state, reason }: StepRecord): boolean {
  return state === 'Running' && isOnTheWay(reason);
}

/** Its Job exists, and something outside the flow keeps it from running. */
export function isHeldUp(record: StepRecord): record is StepRecord & { readonly reason: string } {
  const { state, reason } = record;
  if (reason === undefined || reason === unknownField || isOnItsWay(record)) return false;
  return state === 'Running' || state === 'Pending';
}

/** Its Job is suspended, and not by the flow: by its template or by a user, who has to resume it. */
export function isGate({ state, reason }: StepRecord): boolean {
  return state === 'Suspended' && reason === 'ManualGate';
}

export function attemptOf(record: Pick<StepRecord, 'attempt'>): number {
  return record.attempt ?? 0;
}

/** The entry with these changes; a field that is given as undefined is taken out. */
export function changed(
  record: StepRecord,
  change: { readonly [Field in keyof StepRecord]?: StepRecord[Field] | undefined },
): StepRecord {
  const wanted: Record<string, unknown> = { ...record, ...change };
  // Deleting fields would make the object a slow one, and every decision makes one for each step.
  const next: Record<string, unknown> = {};
  for (const field in wanted) {
    if (wanted[field] !== undefined) setOwnMember(next, field, wanted[field]);
  }
  return next as unknown as StepRecord;
}

/** The entry of an attempt that has not been started: nothing of an earlier one remains. */
export function notStarted(
  record: Pick<StepRecord, 'name' | 'attempt'>,
  state: 'Waiting' | 'Blocked' | 'Skipped',
  why: {
    readonly reason: string;
    readonly message: string;
    readonly nextRetryTime?: string | undefined;
  },
): StepRecord {
  const attempt = attemptOf(record);
  return {
    name: record.name,
    state,
    ...(attempt === 0 ? {} : { attempt }),
    reason: why.reason,
    message: shortened(why.message),
    ...(why.nextRetryTime === undefined ? {} : { nextRetryTime: why.nextRetryTime }),
  };
}
