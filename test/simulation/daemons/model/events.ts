/**
 * The Events for a change of the record: one for each transition of the whole, and one for all nodes with
 * the same transition at once.
 */
import type { ToldEvent } from '../../model/told-events.ts';
import type { ToldEntry, ToldStatus } from './told-status.ts';

export function eventsOf(before: ToldStatus, after: ToldStatus): readonly ToldEvent[] {
  const news = after.nodes.filter((entry) => isNews(before.nodes, entry));
  const isHeldUp = ({ state, reason }: ToldEntry): boolean =>
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

function isNews(before: readonly ToldEntry[], { name, state, reason }: ToldEntry): boolean {
  const was = before.findLast((entry) => entry.name === name);
  return was?.state !== state || was.reason !== reason;
}

/** It had failed on some node. */
function isRetried(before: ToldStatus, after: ToldStatus): boolean {
  const isGranted = after.conditions['RetryRefused']?.isTrue !== true;
  return before.retryNonce !== after.retryNonce && isGranted && (before.failed ?? 0) > 0;
}

function ofRefusedRetry(before: ToldStatus, after: ToldStatus): readonly ToldEvent[] {
  const isRefused = after.conditions['RetryRefused']?.isTrue === true;
  if (!isRefused || before.retryNonce === after.retryNonce) return [];
  const of = after.retryNonce ?? '';
  return [{ reason: 'RetryRefused', type: 'Warning', of, mentions: ['spec.shutdown'] }];
}

function isResumed(before: ToldStatus, after: ToldStatus): boolean {
  const goesOn = !['Suspended', 'Terminating', 'Failed'].includes(after.state ?? '');
  return before.state === 'Suspended' && goesOn;
}

/** By a new spec, or by what ended the recorded suspension. */
function resumption({ conditions }: ToldStatus, { observedGeneration = 0 }: ToldStatus): string {
  return `generation ${observedGeneration}, held since ${conditions['Suspended']?.since ?? ''}`;
}

function ofLoss({ conditions: before }: ToldStatus, after: ToldStatus): readonly ToldEvent[] {
  const isLost = after.conditions['Accepted']?.reason === 'UnknownField';
  if (!isLost || before['Accepted']?.reason === 'UnknownField') return [];
  const of = `generation ${after.observedGeneration ?? 0}`;
  return [{ reason: 'UnknownField', type: 'Warning', of, mentions: [] }];
}

/** Its end begins, but is not in the same write. */
function ofDeadline(before: ToldStatus, after: ToldStatus): readonly ToldEvent[] {
  const { state, reason } = after;
  if (reason !== 'DeadlineExceeded' || before.reason === reason || state === 'Failed') return [];
  const of = ['Failed', 'Suspended'].map((type) => before.conditions[type]?.since ?? '').join();
  return [{ reason, type: 'Warning', of, mentions: [] }];
}

function when(holds: boolean, reason: string, of: string): readonly ToldEvent[] {
  return holds ? [{ reason, type: 'Normal', of, mentions: [] }] : [];
}

function ofNodes(
  news: readonly ToldEntry[],
  reason: string,
  type: ToldEvent['type'],
  concerns: (entry: ToldEntry) => boolean,
): readonly ToldEvent[] {
  const [first, ...others] = news.filter(concerns);
  if (first === undefined) return [];
  const mentions = [first.name, first.reason ?? '', ...others.slice(0, 8).map(({ name }) => name)];
  return [{ reason, type, of: first.jobName ?? first.name, mentions }];
}

/** The condition has changed. The time of its previous change identifies the occurrence. */
function ofCondition(
  before: ToldStatus,
  after: ToldStatus,
  type: string,
  to: boolean,
  severity: ToldEvent['type'],
  reason?: string,
): readonly ToldEvent[] {
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
