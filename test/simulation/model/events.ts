/**
 * The Events for a change of the record: one for each transition of the flow, and one for all steps
 * with the same transition at once.
 */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { attemptOf } from './attempts-and-retries.ts';
import type { Predicted } from './look.ts';
import { isHeldUp } from './pods.ts';
import type { PredictedEvent } from './predicted-events.ts';
import { onRecord, type PredictedStatus } from './predicted-status.ts';

export function eventsOf(flow: JobFlow, after: PredictedStatus): readonly PredictedEvent[] {
  const before = onRecord(flow);
  const news = after.steps.filter((predicted) => isNews(before.steps, predicted));
  return [
    ...ofCondition(before, after, 'Accepted', false, 'Warning'),
    ...ofCondition(before, after, 'TemplatesResolved', false, 'Warning'),
    ...when(
      before.startTime === undefined && after.startTime !== undefined,
      'Normal',
      'Started',
      'start',
    ),
    ...when(isRetried(before, after), 'Normal', 'RetryRequested', before.completionTime ?? ''),
    ...when(isRefusedRetry(before, after), 'Warning', 'RetryRefused', after.retryNonce ?? ''),
    ...ofSteps(news, 'StepRetrying', ({ reason }) => reason === 'RetryBackoff'),
    ...ofSteps(causesFirst(news), 'StepFailed', ({ state }) => state === 'Failed'),
    ...[...new Set(news.filter(isHeldUp).map(({ reason = '' }) => reason))].flatMap((reason) =>
      ofSteps(news, reason, (predicted) => isHeldUp(predicted) && predicted.reason === reason),
    ),
    ...ofSteps(news, 'ManualGate', ({ reason }) => reason === 'ManualGate', 'Normal'),
    ...ofCondition(before, after, 'Blocked', true, 'Warning'),
    ...when(
      after.reason === 'ShuttingDown' && before.reason !== 'ShuttingDown',
      'Normal',
      'ShuttingDown',
      `generation ${after.observedGeneration ?? 0}`,
    ),
    ...when(
      after.reason === 'FlowDeadlineExceeded' &&
        after.state !== 'Failed' &&
        before.reason !== after.reason,
      'Warning',
      'FlowDeadlineExceeded',
      ['Failed', 'Suspended'].map((type) => before.conditions[type]?.since ?? '').join(),
    ),
    ...ofCondition(before, after, 'Suspended', true, 'Normal', 'Suspended'),
    ...when(
      before.state === 'Suspended' &&
        !['Suspended', 'Terminating', 'Failed'].includes(after.state ?? ''),
      'Normal',
      'Resumed',
      `generation ${after.observedGeneration ?? 0}`,
    ),
    ...ofCondition(before, after, 'Complete', true, 'Normal', 'Completed'),
    ...ofCondition(before, after, 'Failed', true, 'Warning', 'Failed'),
  ];
}

/** A step whose Job was deleted for another one is no cause. */
function causesFirst(steps: readonly Predicted[]): readonly Predicted[] {
  const isEffect = ({ reason }: Predicted) => Number(reason === 'Cancelled');
  return steps.toSorted((left, right) => isEffect(left) - isEffect(right));
}

function isNews(
  before: readonly Predicted[],
  { name, state, reason, attempt = 0 }: Predicted,
): boolean {
  const was = before.find((predicted) => predicted.name === name);
  return was?.state !== state || was.reason !== reason || attemptOf(was) !== attempt;
}

function isRefusedRetry(before: PredictedStatus, after: PredictedStatus): boolean {
  const isRefused = after.conditions['RetryRefused']?.isTrue === true;
  return isRefused && before.retryNonce !== after.retryNonce;
}

/** A failed flow continues. */
function isRetried(before: PredictedStatus, after: PredictedStatus): boolean {
  const isAnew = before.state === 'Failed' && after.state !== 'Failed';
  return isAnew && before.retryNonce !== after.retryNonce;
}

/** The condition has changed. The time of its previous change identifies the occurrence. */
function ofCondition(
  before: PredictedStatus,
  after: PredictedStatus,
  type: string,
  to: boolean,
  severity: PredictedEvent['type'],
  reason?: string,
): readonly PredictedEvent[] {
  const [was, is] = [before.conditions[type], after.conditions[type]];
  if (is?.isTrue !== to || was?.isTrue === to) return [];
  const { mentions = [] } = is;
  const of = `${type} ${was?.since ?? 'first'}`;
  return [{ reason: reason ?? is.reason, type: severity, of, mentions }];
}

function ofSteps(
  news: readonly Predicted[],
  reason: string,
  concerns: (predicted: Predicted) => boolean,
  type: PredictedEvent['type'] = 'Warning',
): readonly PredictedEvent[] {
  const [first, ...others] = news.filter(concerns);
  if (first === undefined) return [];
  const mentions = [first.name, first.reason ?? '', ...others.slice(0, 8).map(({ name }) => name)];
  return [{ reason, type, of: `${first.name} attempt ${attemptOf(first)}`, mentions }];
}

function when(
  holds: boolean,
  type: PredictedEvent['type'],
  reason: string,
  of: string,
): readonly PredictedEvent[] {
  return holds ? [{ reason, type, of, mentions: [] }] : [];
}
