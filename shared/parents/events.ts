/** Kubernetes Events of a parent: one for each of its transitions, none for a part that succeeds. */
import {
  type Announcement,
  type Change,
  firstOf,
  onCondition,
  onFailure,
  onResume,
  onShutdown,
  onStart,
  retryCommand,
  since,
} from '#shared/domain/announcements.ts';
import { refusalIn } from './manual-retry.ts';
import type { Parent, ParentStatus, Part, Words } from './parent.ts';

/** From the status that was read to the wanted one. */
export interface Transition extends Change {
  readonly before: ParentStatus;
  readonly after: ParentStatus;
}

/** The reports of a kind, in their order. */
export interface Course {
  readonly words: Words;
  /** The reports that are possible before it runs. */
  readonly judged: readonly Announcement[];
  /** In numbers; called only when the start is reported. */
  readonly started: () => string;
  readonly retried: readonly Announcement[];
  readonly parts: readonly Announcement[];
  /** Reason of a parent whose deadline has passed. */
  readonly overdue: string;
  /** Instead of the usual report. */
  readonly resumed?: readonly Announcement[];
  /** Says what runs again, and how. */
  readonly toRunAgain: string;
}

export function courseOf(change: Transition, course: Course): readonly Announcement[] {
  return [
    ...onCondition(change, 'Accepted', 'False', 'Warning', 'Validate'),
    ...course.judged,
    ...onStart(change, course.started),
    ...course.retried,
    ...course.parts,
    ...onCondition(change, 'Blocked', 'True', 'Warning', 'CreateJob'),
    ...onShutdown(change),
    ...onDeadline(change, course.overdue),
    ...onCondition(change, 'Suspended', 'True', 'Normal', 'Suspend', 'Suspended'),
    ...(course.resumed ?? onResume(change, course.words.whole)),
    ...onCondition(change, 'Complete', 'True', 'Normal', 'Complete', 'Completed'),
    ...onFailure(change, course.toRunAgain),
  ];
}

/** Its end begins. Not reported for a parent that ends at once. */
function onDeadline(change: Transition, overdue: string): readonly Announcement[] {
  const { state, reason, message: note = '' } = change.after;
  if (reason !== overdue || change.before.reason === reason || state === 'Failed') return [];
  const occurrence = [since(change, 'Failed'), since(change, 'Suspended')].join('-');
  return [{ type: 'Warning', reason, action: 'End', note, occurrence }];
}

export function onUnknownAnnotation(change: Transition): readonly Announcement[] {
  return onCondition(change, 'UnknownAnnotation', 'True', 'Warning', 'ReadAnnotations');
}

/** While it is shut down, nothing is retried. */
export function howToRetry(shortName: string, parent: Parent): string {
  const command = retryCommand(shortName, parent, parent.status?.retryNonce);
  return parent.spec.shutdown === undefined ? command : `remove spec.shutdown, then ${command}`;
}

/** The latest retry is handled. It was granted, or it was refused; then `refused` gives the occurrence. */
export function onManualRetry(
  { before, after }: Transition,
  refused: string,
  granted: () => Pick<Announcement, 'note' | 'occurrence'> | undefined,
): readonly Announcement[] {
  if (before.retryNonce === after.retryNonce) return [];
  const refusal = refusalIn({ before, after });
  if (refusal !== undefined) {
    const note = `${after.retryNonce ?? ''}: ${refusal.message}`;
    const type = 'Warning';
    return [{ type, reason: 'RetryRefused', action: 'Retry', note, occurrence: refused }];
  }
  const announced = granted();
  return announced === undefined
    ? []
    : [{ type: 'Normal', reason: 'RetryRequested', action: 'Retry', ...announced }];
}

/** A kind reports its parts by these words and occurrences. */
export interface PartReport<Reported extends Part> {
  readonly words: Words;
  readonly action: string;
  readonly occurrenceOf: (first: Reported) => string;
}

/** One Event for each reason, however many parts: a mass failure must not cause a mass of writes. */
export function onParts<Reported extends Part>(
  { words, action, occurrenceOf }: PartReport<Reported>,
  type: Announcement['type'],
  reason: string,
  concerned: readonly Reported[],
): readonly Announcement[] {
  const [first] = concerned;
  if (first === undefined) return [];
  const note = firstOf(words.part, concerned);
  return [{ type, reason, action, note, occurrence: occurrenceOf(first) }];
}

/** For parts that are held up. The Event has the reason of the problem, as the Pod's own Event has. */
export function onHoldUps<Reported extends Part>(
  report: PartReport<Reported>,
  held: readonly Reported[],
): readonly Announcement[] {
  const reasons = new Set(held.flatMap(({ reason }) => reason ?? []));
  return [...reasons].flatMap((reason) =>
    onParts(
      report,
      'Warning',
      reason,
      held.filter((part) => part.reason === reason),
    ),
  );
}
