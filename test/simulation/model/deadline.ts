/** `activeDeadlineSeconds` of a flow (rule 26) and of a DaemonJob. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { resetsSteps } from './attempts-and-retries.ts';
import { type Look, msOf } from './look.ts';
import { conditionsOn, type PredictedConditions } from './predicted-conditions.ts';
import type { PredictedStatus } from './predicted-status.ts';

export interface Clock {
  readonly seconds: number | undefined;
  readonly startTime: string | undefined;
  readonly conditions: PredictedConditions;
  /** A user suspended it, so it is not late. */
  readonly isHeldBack: boolean;
  /** A user retries a failed one now. */
  readonly isTriedAgain: boolean;
}

/** The time starts again with a resumption or a retry. Milliseconds since the epoch. Undefined: never. */
export function timeIsUpMs(clock: Clock, atMs: number): number | undefined {
  const { seconds, startTime, conditions, isHeldBack, isTriedAgain } = clock;
  if (seconds === undefined || startTime === undefined || isHeldBack) return undefined;
  const { Suspended: suspended, Failed: failed } = conditions;
  const turns = [suspended, failed].flatMap((each) =>
    each?.isTrue === false ? [msOf(each.since)] : [],
  );
  const isBegunAnew = suspended?.isTrue === true || (failed?.isTrue === true && isTriedAgain);
  return Math.max(msOf(startTime), ...turns, isBegunAnew ? atMs : 0) + seconds * 1_000;
}

/** Its passed deadline is recorded, so it ends whatever users do afterwards. */
export function isEndingLate(
  status: {
    readonly reason?: string;
    readonly completionTime?: string;
  } = {},
): boolean {
  const isLate = ['DeadlineExceeded', 'FlowDeadlineExceeded'].includes(status.reason ?? '');
  return isLate && status.completionTime === undefined;
}

export function isOverdue({ flow, atMs }: Pick<Look, 'flow' | 'atMs'>): boolean {
  const { startTime, conditions } = flow.status ?? {};
  if (isEndingLate(flow.status)) return true;
  const dueMs = timeIsUpMs(
    clockOf(flow, { startTime, conditions: conditionsOn(conditions) }),
    atMs,
  );
  return dueMs !== undefined && dueMs <= atMs;
}

/** When its deadline passes by the new record. NaN: it has passed, or nothing waits for it. */
export function deadlineAgainMs({ flow, atMs }: Look, predicted: PredictedStatus): number {
  const dueMs = timeIsUpMs(clockOf(flow, predicted), atMs);
  const isOver = predicted.completionTime !== undefined;
  return isOver || dueMs === undefined || dueMs <= atMs ? NaN : dueMs;
}

function clockOf(
  flow: JobFlow,
  {
    startTime,
    conditions,
  }: Pick<Clock, 'conditions'> & { readonly startTime?: string | undefined },
): Clock {
  return {
    seconds: flow.spec.activeDeadlineSeconds,
    startTime,
    conditions,
    isHeldBack: flow.spec.suspend === true,
    isTriedAgain: resetsSteps(flow),
  };
}
