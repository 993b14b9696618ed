/** Kubernetes Events: one per transition of the flow, none per step that succeeds. */
import type { StepRecord } from '#shared/api/job-flow.ts';
import {
  also,
  type Announcement,
  emitted,
  onCondition,
  retriedWords,
  since,
} from '#shared/domain/announcements.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import {
  courseOf,
  howToRetry,
  onHoldUps,
  onManualRetry,
  onParts,
  onUnknownAnnotation,
  type PartReport,
} from '#shared/parents/events.ts';
import { flowDeadlineExceeded } from './deadline.ts';
import { lostFieldsOfSteps } from './lost-fields.ts';
import { attemptOf, isGate, isHeldUp, unknownField } from './record.ts';
import { failuresOf } from './removal.ts';
import type { Situation } from './situation.ts';
import { pinnedAnew, type Transitions } from './transitions.ts';
import { flowWords } from './words.ts';

export function eventsFor(
  situation: Situation,
  transitions: Transitions,
): readonly EmitEventOperation[] {
  const announced = [...announcements(situation, transitions), ...onLostFields(situation)];
  return emitted(situation.flow, announced);
}

/** Reported even without a change of the status: only this decision knows the warnings. */
export function lostFieldsEvents(situation: Situation): readonly EmitEventOperation[] {
  return emitted(situation.flow, onLostFields(situation));
}

function announcements(situation: Situation, transitions: Transitions): readonly Announcement[] {
  const retry = howToRetry('mjf', situation.flow);
  const { after, steps } = transitions;
  // While a larger template stops the flow, no pin is replaced.
  const acceptance = after.conditions?.find(({ type }) => type === 'Accepted');
  const failed = failuresOf(steps);
  return courseOf(transitions, {
    words: flowWords,
    judged: [
      ...onCondition(transitions, 'TemplatesResolved', 'False', 'Warning', 'ResolveTemplates'),
      ...onUnknownAnnotation(transitions),
      ...(acceptance?.status === 'False' ? [] : onReplacedPins(situation)),
    ],
    started: () => startedSteps(transitions),
    retried: onRetry(transitions),
    parts: [
      ...onParts(ofSteps('RetryStep'), 'Warning', 'StepRetrying', steps.filter(isRetrying)),
      ...onParts(ofSteps('RunStep'), 'Warning', 'StepFailed', failed),
      ...onHoldUps(ofSteps('RunStep'), steps.filter(isHeldUp)),
      ...onParts(ofSteps('RunStep'), 'Normal', 'ManualGate', steps.filter(isGate)),
    ],
    overdue: flowDeadlineExceeded,
    toRunAgain: `the failed and skipped steps with their current templates: ${retry}`,
  });
}

function ofSteps(action: 'RetryStep' | 'RunStep'): PartReport<StepRecord> {
  const occurrenceOf = (first: StepRecord) => `${first.name}-${attemptOf(first)}`;
  return { words: flowWords, action, occurrenceOf };
}

function onReplacedPins({ snapshot }: Situation): readonly Announcement[] {
  const [first, ...others] = snapshot.replacedPins ?? [];
  if (first === undefined) return [];
  const { name, generation } = first;
  const now =
    generation === undefined
      ? 'and there is no such JobTemplate now'
      : `so its steps run the JobTemplate as it is now, generation ${generation}`;
  const note =
    `status.pinnedTemplates: the entry of JobTemplate "${name}" has no valid seal: it was changed by another ` +
    `user, or its key is gone; it is not run, ${now}${also(others)}`;
  const occurrence = `${name}-${generation ?? 'none'}`;
  return [{ type: 'Warning', reason: 'PinReplaced', action: 'ResolveTemplates', note, occurrence }];
}

function startedSteps({ records }: Transitions): string {
  const started = records.filter(({ jobName }) => jobName !== undefined);
  return `${started.length} of ${records.length} steps`;
}

function onRetry(transitions: Transitions): readonly Announcement[] {
  const { before, after } = transitions;
  const occurrence = before.completionTime ?? since(transitions, 'Failed');
  return onManualRetry(transitions, `${occurrence}-${before.retryNonce ?? ''}`, () => {
    if (before.state !== 'Failed' || after.state === 'Failed') return undefined;
    const retried = retriedWords('failed and skipped steps', after.retryNonce);
    return { note: [retried, ...pinnedAnew(transitions)].join('; '), occurrence };
  });
}

/** Reported once for a step, however often it is retried: its template does not change. */
function onLostFields(situation: Situation): readonly Announcement[] {
  const lost = lostFieldsOfSteps(situation);
  if (lost === undefined) return [];
  return [
    {
      type: 'Warning',
      reason: unknownField,
      action: 'CreateJob',
      note: lost.message,
      occurrence: lost.step,
    },
  ];
}

function isRetrying({ reason }: StepRecord): boolean {
  return reason === 'RetryBackoff';
}
