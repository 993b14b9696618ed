/** What the API server refused, as the state of the step (rules 3 and 23; scenarios 18, 19 and 39). */
import type { StepRecord } from '#shared/api/job-flow.ts';
import { childJobName } from '#shared/domain/names.ts';
import { isRefusal, isTaken, type Rejection } from '#shared/domain/rejection.ts';
import { conditionSince } from './conditions.ts';
import { attemptOf, changed, isNotStarted, notStarted } from './record.ts';
import type { Situation } from './situation.ts';
import { failedRecord, type Step } from './steps.ts';

/** A foreign Job holds the name: looked at again this often, milliseconds. */
const conflictDelayMs = 10_000;
/** It is being deleted, so that the name is about to be free, milliseconds. */
const releaseDelayMs = 5_000;
/** Permission or quota: the wait grows with the time it has lasted, between these, milliseconds. */
const shortestDelayMs = 5_000;
const longestDelayMs = 60_000;

/** An object that is invalid stays invalid, so its step is Failed; everything else may pass: Blocked. */
export function applyRejections(situation: Situation, steps: readonly Step[]): readonly Step[] {
  if (situation.rejections.size === 0) return steps;
  return steps.map((step) => {
    if (!isNotStarted(step.record.state)) return step;
    const rejection = rejectionOf(situation, step.record);
    return rejection === undefined
      ? step
      : { ...step, record: refusedRecord(situation, step.record, rejection) };
  });
}

export function rejectionOf(situation: Situation, record: StepRecord): Rejection | undefined {
  const name = childJobName(situation.flow.metadata.name, record.name, attemptOf(record));
  return situation.rejections.get(name);
}

function refusedRecord(situation: Situation, record: StepRecord, rejection: Rejection): StepRecord {
  const { code, message } = rejection;
  if (code === 'Invalid') {
    const failure = { reason: 'InvalidJob', message, atMs: situation.nowMs };
    return failedRecord(changed(record, { attempt: attemptOf(record) }), failure);
  }
  return record.reason === code ? record : notStarted(record, 'Blocked', { reason: code, message });
}

/** Steps that wait for the cluster to allow their Job. */
export function refusedSteps(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ record }) => isRefused(record));
}

export function isRefused(record: StepRecord): boolean {
  return record.state === 'Blocked' && isRefusal(record.reason);
}

/**
 * A refusal that concerns the whole flow: asking for one Job tells as much as asking for all, and is
 * 255 requests cheaper.
 */
export function refusesAll(record: StepRecord): boolean {
  return isRefused(record) && !isTaken(record.reason);
}

/**
 * When to ask again, milliseconds since the epoch; undefined when nothing is refused. Computed from
 * the time at which the flow became blocked, so it needs no counter.
 */
export function refusalDueMs(situation: Situation, steps: readonly Step[]): number | undefined {
  const refused = refusedSteps(steps);
  if (refused.length === 0) return undefined;
  const reasons = new Set(refused.map(({ record }) => record.reason));
  if (reasons.has('NameTerminating')) return situation.nowMs + releaseDelayMs;
  if (reasons.has('NameConflict')) return situation.nowMs + conflictDelayMs;
  const lastedMs = situation.nowMs - (conditionSince(situation, 'Blocked') ?? situation.nowMs);
  return situation.nowMs + Math.min(longestDelayMs, Math.max(shortestDelayMs, lastedMs));
}
