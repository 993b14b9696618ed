/** Entries of `status.jobStatusList`, and which fields a step has in which state. */
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

/** Reason of a step whose Job lacks a field because its template misspells it. */
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

/** The step waits until its Pods are gone, which usually happens by itself. */
export function isOnItsWay({ state, reason }: StepRecord): boolean {
  return state === 'Running' && isOnTheWay(reason);
}

/** The Job exists, and something outside the flow keeps it from running. */
export function isHeldUp(record: StepRecord): record is StepRecord & { readonly reason: string } {
  const { state, reason } = record;
  if (reason === undefined || reason === unknownField || isOnItsWay(record)) return false;
  return state === 'Running' || state === 'Pending';
}

/** The Job is suspended by its template or by a user, not by the flow. A user has to resume it. */
export function isGate({ state, reason }: StepRecord): boolean {
  return state === 'Suspended' && reason === 'ManualGate';
}

export function attemptOf(record: Pick<StepRecord, 'attempt'>): number {
  return record.attempt ?? 0;
}

/** The entry with these changes. A field that is given as undefined is removed. */
export function changed(
  record: StepRecord,
  change: { readonly [Field in keyof StepRecord]?: StepRecord[Field] | undefined },
): StepRecord {
  const wanted: Record<string, unknown> = { ...record, ...change };
  // `delete` would make the object slow, and each decision makes one for each step.
  const next: Record<string, unknown> = {};
  for (const field in wanted) {
    if (wanted[field] !== undefined) setOwnMember(next, field, wanted[field]);
  }
  return next as unknown as StepRecord;
}

/** The entry of an attempt that has not started, without any field of an earlier attempt. */
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
