/**
 * The Events for a change of the record: one for each transition of the whole, and one for all nodes with
 * the same transition at once.
 */
import type { PredictedEvent } from '../../model/predicted-events.ts';
import type { PredictedEntry, PredictedStatus } from './predicted-status.ts';

export function eventsOf(
  before: PredictedStatus,
  after: PredictedStatus,
): readonly PredictedEvent[] {
  const news = after.nodes.filter((entry) => isNews(before.nodes, entry));
  const isHeldUp = ({ state, reason }: PredictedEntry): boolean =>
    ['Running', 'Unknown', 'Suspended'].includes(state) && reason !== 'NodeGone';
  return [
    ...ofCondition(before, after, 'Accepted', false, 'Warning'),
    ...ofLoss(before, after),
    ...ofCondition(before, after, 'NodesEligible', false, 'Warning'),
    ...ofCondition(before, after, 'UnknownExcludedNode', true, 'Warning'),
    ...when(before.startTime === undefined && after.startTime !== undefined, 'Started', 'start'),
    ...when(isRetried(before, after), 'RetryRequested', after.retryNonce ?? ''),
    ...ofRefusedRetry(before, after),
    ...ofNodes(news, 'NodeFailed', 'Warning', ({ state }) => state === 'Failed'),
    ...ofNodes(news, 'NodeGone', 'Normal', ({ reason }) => reason === 'NodeGone'),
    ...[...new Set(news.filter(isHeldUp).map(({ reason = '' }) => reason))].flatMap((reason) =>
      ofNodes(news, reason, 'Warning', (entry) => isHeldUp(entry) && entry.reason === reason),
    ),
    ...ofCondition(before, after, 'Blocked', true, 'Warning'),
    ...when(
      after.reason === 'ShuttingDown' && before.reason !== after.reason,
      'ShuttingDown',
      `generation ${after.observedGeneration ?? 0}`,
    ),
    ...ofDeadline(before, after),
    ...ofCondition(before, after, 'Suspended', true, 'Normal', 'Suspended'),
    ...when(isResumed(before, after), 'Resumed', resumption(before, after)),
    ...ofCondition(before, after, 'Complete', true, 'Normal', 'Completed'),
    ...ofCondition(before, after, 'Failed', true, 'Warning', 'Failed'),
  ];
}

function isNews(
  before: readonly PredictedEntry[],
  { name, state, reason }: PredictedEntry,
): boolean {
  const was = before.findLast((entry) => entry.name === name);
  return was?.state !== state || was.reason !== reason;
}

/** It had failed on some node. */
function isRetried(before: PredictedStatus, after: PredictedStatus): boolean {
  const isGranted = after.conditions['RetryRefused']?.isTrue !== true;
  return before.retryNonce !== after.retryNonce && isGranted && (before.failed ?? 0) > 0;
}

function ofRefusedRetry(
  before: PredictedStatus,
  after: PredictedStatus,
): readonly PredictedEvent[] {
  const isRefused = after.conditions['RetryRefused']?.isTrue === true;
  if (!isRefused || before.retryNonce === after.retryNonce) return [];
  const of = after.retryNonce ?? '';
  return [{ reason: 'RetryRefused', type: 'Warning', of, mentions: ['spec.shutdown'] }];
}

function isResumed(before: PredictedStatus, after: PredictedStatus): boolean {
  const goesOn = !['Suspended', 'Terminating', 'Failed'].includes(after.state ?? '');
  return before.state === 'Suspended' && goesOn;
}

/** By a new spec, or by what ended the recorded suspension. */
function resumption(
  { conditions }: PredictedStatus,
  { observedGeneration = 0 }: PredictedStatus,
): string {
  return `generation ${observedGeneration}, held since ${conditions['Suspended']?.since ?? ''}`;
}

function ofLoss(
  { conditions: before }: PredictedStatus,
  after: PredictedStatus,
): readonly PredictedEvent[] {
  const isLost = after.conditions['Accepted']?.reason === 'UnknownField';
  if (!isLost || before['Accepted']?.reason === 'UnknownField') return [];
  const of = `generation ${after.observedGeneration ?? 0}`;
  return [{ reason: 'UnknownField', type: 'Warning', of, mentions: [] }];
}

/** Its end begins, but is not in the same write. */
function ofDeadline(before: PredictedStatus, after: PredictedStatus): readonly PredictedEvent[] {
  const { state, reason } = after;
  if (reason !== 'DeadlineExceeded' || before.reason === reason || state === 'Failed') return [];
  const of = ['Failed', 'Suspended'].map((type) => before.conditions[type]?.since ?? '').join();
  return [{ reason, type: 'Warning', of, mentions: [] }];
}

function when(holds: boolean, reason: string, of: string): readonly PredictedEvent[] {
  return holds ? [{ reason, type: 'Normal', of, mentions: [] }] : [];
}

function ofNodes(
  news: readonly PredictedEntry[],
  reason: string,
  type: PredictedEvent['type'],
  concerns: (entry: PredictedEntry) => boolean,
): readonly PredictedEvent[] {
  const [first, ...others] = news.filter(concerns);
  if (first === undefined) return [];
  const mentions = [first.name, first.reason ?? '', ...others.slice(0, 8).map(({ name }) => name)];
  return [{ reason, type, of: first.jobName ?? first.name, mentions }];
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
  return [
    {
      reason: reason ?? is.reason,
      type: severity,
      of: `${type} ${was?.since ?? 'first'}`,
      mentions,
    },
  ];
}
