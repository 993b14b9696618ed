/** Kubernetes Events: one per transition of the flow, none per step that succeeds. */
import type { StepRecord } from '#shared/api/job-flow.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { flowName } from './object-names.ts';
import type { FlowCondition } from './conditions.ts';
import { lostFieldsBySteps } from './lost-fields.ts';
import { attemptOf, isHeldUp, listed, shortened, unknownField } from './record.ts';
import type { Situation } from './situation.ts';
import { retryCommand } from './next-command.ts';
import { turned, type Transitions } from './transitions.ts';

/** events.k8s.io/v1 refuses a note of 1 kB and more. */
const maxNoteLength = 900;

type Announcement = Pick<EmitEventOperation, 'type' | 'reason' | 'action' | 'note' | 'occurrence'>;

export function eventsFor(
  situation: Situation,
  transitions: Transitions,
): readonly EmitEventOperation[] {
  return emitted(situation, [...announcements(situation, transitions), ...onLostFields(situation)]);
}

/** Told also when it changes nothing in the status: only this decision knows of it. */
export function lostFieldsEvents(situation: Situation): readonly EmitEventOperation[] {
  return emitted(situation, onLostFields(situation));
}

function emitted(
  situation: Situation,
  announced: readonly Announcement[],
): readonly EmitEventOperation[] {
  const { apiVersion, kind, metadata } = situation.flow;
  const regarding = { ...flowName(situation), apiVersion, kind, uid: metadata.uid };
  return announced.map(({ note, ...announcement }) => ({
    kind: 'emitEvent',
    regarding,
    ...announcement,
    note: shortened(note, maxNoteLength),
  }));
}

function announcements(situation: Situation, transitions: Transitions): readonly Announcement[] {
  return [
    ...onCondition(transitions, 'Accepted', 'False', 'Warning', 'Validate'),
    ...onCondition(transitions, 'TemplatesResolved', 'False', 'Warning', 'ResolveTemplates'),
    ...onStart(transitions),
    ...onManualRetry(transitions),
    ...onSteps(transitions, 'StepRetrying', 'RetryStep', isRetrying),
    ...onSteps(transitions, 'StepFailed', 'RunStep', ({ state }) => state === 'Failed'),
    ...onHoldUps(transitions),
    ...onCondition(transitions, 'Blocked', 'True', 'Warning', 'CreateJob'),
    ...onCondition(transitions, 'Suspended', 'True', 'Normal', 'Suspend', 'Suspended'),
    ...onResume(transitions),
    ...onCondition(transitions, 'Complete', 'True', 'Normal', 'Complete', 'Completed'),
    ...onFailure(situation, transitions),
  ];
}

/** With the way to go on: what failed after the start can be run again, what was refused be corrected. */
function onFailure(situation: Situation, transitions: Transitions): readonly Announcement[] {
  const failed = onCondition(transitions, 'Failed', 'True', 'Warning', 'Fail', 'Failed');
  if (transitions.after.startTime === undefined) return failed;
  const retry = `; to run again what failed or was skipped: ${retryCommand(situation)}`;
  return failed.map(({ note, ...rest }) => ({
    ...rest,
    note: `${shortened(note, maxNoteLength - retry.length)}${retry}`,
  }));
}

/** The Event has the condition's reason, unless a shorter word is given for it. */
function onCondition(
  transitions: Transitions,
  type: FlowCondition,
  status: 'True' | 'False',
  severity: 'Normal' | 'Warning',
  action: string,
  reason?: string,
): readonly Announcement[] {
  const condition = turned(transitions, type, status);
  if (condition === undefined) return [];
  return [
    {
      type: severity,
      reason: reason ?? condition.reason,
      action,
      note: condition.message,
      occurrence: since(transitions, type),
    },
  ];
}

function onStart({ before, after, records }: Transitions): readonly Announcement[] {
  if (before.startTime !== undefined || after.startTime === undefined) return [];
  const started = records.filter(({ jobName }) => jobName !== undefined);
  const note = `started ${started.length} of ${records.length} steps`;
  return [{ type: 'Normal', reason: 'Started', action: 'Start', note, occurrence: 'start' }];
}

function onResume(transitions: Transitions): readonly Announcement[] {
  const { before, after } = transitions;
  if (before.state !== 'Suspended' || after.state === 'Suspended') return [];
  const note = 'the flow goes on';
  const occurrence = `generation-${after.observedGeneration ?? 0}`;
  return [{ type: 'Normal', reason: 'Resumed', action: 'Resume', note, occurrence }];
}

function onManualRetry(transitions: Transitions): readonly Announcement[] {
  const { before, after } = transitions;
  const wasOver = before.state === 'Failed';
  if (!wasOver || after.state === 'Failed' || before.retryNonce === after.retryNonce) return [];
  const note = 'failed and skipped steps are started again by hand';
  const occurrence = before.completionTime ?? since(transitions, 'Failed');
  return [{ type: 'Normal', reason: 'RetryRequested', action: 'Retry', note, occurrence }];
}

/** However many steps, it is one Event per reason: a mass failure must not become a mass of writes. */
function onSteps(
  { steps }: Transitions,
  reason: string,
  action: string,
  concerns: (record: StepRecord) => boolean,
): readonly Announcement[] {
  const concerned = steps.filter(concerns);
  const [first] = concerned;
  if (first === undefined) return [];
  const others = concerned.slice(1).map(({ name }) => name);
  const rest = others.length === 0 ? '' : `; also ${listed(others)}`;
  const said = [`step ${first.name}`, first.reason, first.message].join(': ');
  return [
    {
      type: 'Warning',
      reason,
      action,
      note: `${said}${rest}`,
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
  const [first, ...others] = lostFieldsBySteps(situation);
  if (first === undefined) return [];
  const rest = others.length === 0 ? '' : `; also ${listed(others.map(({ step }) => step))}`;
  return [
    {
      type: 'Warning',
      reason: unknownField,
      action: 'CreateJob',
      note: `step ${first.step}: ${first.message}${rest}`,
      occurrence: first.step,
    },
  ];
}

function isRetrying({ reason }: StepRecord): boolean {
  return reason === 'RetryBackoff';
}

/**
 * Names the transition by what is on record before it: it is told before it is recorded, so a pass
 * that ends in between is decided again, later, and must not tell of it twice (A1 of apply-plan.ts).
 */
function since({ before }: Transitions, type: FlowCondition): string {
  const known = before.conditions?.find((candidate) => candidate.type === type);
  return known?.lastTransitionTime ?? 'unknown';
}
