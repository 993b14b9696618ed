/** Kubernetes Events: one per transition of the flow, none per step that succeeds. */
import type { StepRecord } from '#shared/api/job-flow.ts';
import {
  also,
  type Announcement,
  emitted,
  firstOf,
  onCondition,
  onFailure,
  onResume,
  onShutdown,
  onStart,
  retriedWords,
  retryCommand,
  since,
} from '#shared/domain/announcements.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { flowDeadlineExceeded } from './deadline.ts';
import { lostFieldsOfSteps } from './lost-fields.ts';
import { attemptOf, isGate, isHeldUp, unknownField } from './record.ts';
import type { Situation } from './situation.ts';
import { pinnedAnew, type Transitions } from './transitions.ts';

export function eventsFor(
  situation: Situation,
  transitions: Transitions,
): readonly EmitEventOperation[] {
  const told = [...announcements(situation, transitions), ...onLostFields(situation)];
  return emitted(situation.flow, told);
}

/** Told also when it changes nothing in the status: only this decision knows of it. */
export function lostFieldsEvents(situation: Situation): readonly EmitEventOperation[] {
  return emitted(situation.flow, onLostFields(situation));
}

function announcements(situation: Situation, transitions: Transitions): readonly Announcement[] {
  const { flow, status } = situation;
  const command = retryCommand('mjf', flow, status.retryNonce);
  const retry =
    flow.spec.shutdown === undefined ? command : `remove spec.shutdown, then ${command}`;
  return [
    ...onCondition(transitions, 'Accepted', 'False', 'Warning', 'Validate'),
    ...onCondition(transitions, 'TemplatesResolved', 'False', 'Warning', 'ResolveTemplates'),
    ...onCondition(transitions, 'UnknownAnnotation', 'True', 'Warning', 'ReadAnnotations'),
    ...onReplacedPins(situation),
    ...onStart(transitions, () => startedSteps(transitions)),
    ...onManualRetry(transitions),
    ...onSteps(transitions, 'StepRetrying', 'RetryStep', isRetrying),
    ...onSteps(transitions, 'StepFailed', 'RunStep', ({ state }) => state === 'Failed'),
    ...onHoldUps(transitions),
    ...onSteps(transitions, 'ManualGate', 'RunStep', isGate, 'Normal'),
    ...onCondition(transitions, 'Blocked', 'True', 'Warning', 'CreateJob'),
    ...onShutdown(transitions),
    ...onDeadline(transitions),
    ...onCondition(transitions, 'Suspended', 'True', 'Normal', 'Suspend', 'Suspended'),
    ...onResume(transitions, 'the flow'),
    ...onCondition(transitions, 'Complete', 'True', 'Normal', 'Complete', 'Completed'),
    ...onFailure(
      transitions,
      `the failed and skipped steps with their current templates: ${retry}`,
    ),
  ];
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

/** Not of one that ends at once. */
function onDeadline(transitions: Transitions): readonly Announcement[] {
  const { before, after } = transitions;
  const { state, reason, message: note = '' } = after;
  if (before.reason === reason || state === 'Failed') return [];
  if (reason !== flowDeadlineExceeded) return [];
  const occurrence = [since(transitions, 'Failed'), since(transitions, 'Suspended')].join('-');
  return [{ type: 'Warning', reason, action: 'EndFlow', note, occurrence }];
}

function startedSteps({ records }: Transitions): string {
  const started = records.filter(({ jobName }) => jobName !== undefined);
  return `${started.length} of ${records.length} steps`;
}

function onManualRetry(transitions: Transitions): readonly Announcement[] {
  const { before, after } = transitions;
  if (before.retryNonce === after.retryNonce) return [];
  const occurrence = before.completionTime ?? since(transitions, 'Failed');
  const refusal = after.conditions?.find(({ type }) => type === 'RetryRefused');
  if (refusal?.status === 'True') {
    const note = `${after.retryNonce ?? ''}: ${refusal.message}`;
    const each = `${occurrence}-${before.retryNonce ?? ''}`;
    return [{ type: 'Warning', reason: 'RetryRefused', action: 'Retry', note, occurrence: each }];
  }
  if (before.state !== 'Failed' || after.state === 'Failed') return [];
  const anew = pinnedAnew(transitions);
  const retried = retriedWords('failed and skipped steps', after.retryNonce);
  const note = [retried, ...anew].join('; ');
  return [{ type: 'Normal', reason: 'RetryRequested', action: 'Retry', note, occurrence }];
}

/** However many steps, it is one Event per reason: a mass failure must not become a mass of writes. */
function onSteps(
  { steps }: Transitions,
  reason: string,
  action: string,
  concerns: (record: StepRecord) => boolean,
  type: Announcement['type'] = 'Warning',
): readonly Announcement[] {
  const concerned = steps.filter(concerns);
  const [first] = concerned;
  if (first === undefined) return [];
  return [
    {
      type,
      reason,
      action,
      note: firstOf('step', concerned),
      occurrence: `${first.name}-${attemptOf(first)}`,
    },
  ];
}

/** The Event has the reason of the problem, as that of the Pod has it; one for each reason. */
function onHoldUps(transitions: Transitions): readonly Announcement[] {
  const reasons = new Set(transitions.steps.filter(isHeldUp).map(({ reason }) => reason));
  return [...reasons].flatMap((reason) =>
    onSteps(transitions, reason, 'RunStep', (step) => isHeldUp(step) && step.reason === reason),
  );
}

/** Told once for a step, however often it is tried: its template does not change. */
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
