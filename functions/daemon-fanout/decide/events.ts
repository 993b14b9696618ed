/** Kubernetes Events: one per transition of the DaemonJob, none per node that succeeds. */
import type { NodeEntry } from '#shared/api/daemon-job.ts';
import { annotations } from '#shared/domain/labels.ts';
import { kubectl } from '#shared/domain/next-command.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { listed, shortened } from '#shared/domain/wording.ts';
import { nodeGone } from './entries.ts';
import { unknownField } from './findings.ts';
import type { Situation } from './situation.ts';
import { turned, type Transitions } from './transitions.ts';

/** events.k8s.io/v1 refuses a note of 1 kB and more. */
const maxNoteLength = 900;

type Announcement = Pick<EmitEventOperation, 'type' | 'reason' | 'action' | 'note' | 'occurrence'>;

export function eventsFor(
  situation: Situation,
  transitions: Transitions,
): readonly EmitEventOperation[] {
  const { apiVersion, kind, metadata } = situation.daemonJob;
  const { namespace } = situation;
  const regarding = { namespace, name: metadata.name, apiVersion, kind, uid: metadata.uid };
  return announcements(situation, transitions).map(({ note, ...announcement }) => ({
    kind: 'emitEvent',
    regarding,
    ...announcement,
    note: shortened(note, maxNoteLength),
  }));
}

function announcements(situation: Situation, transitions: Transitions): readonly Announcement[] {
  return [
    ...onCondition(transitions, 'Accepted', 'False', 'Warning', 'Validate'),
    ...onUnknownField(transitions),
    ...onCondition(transitions, 'NodesEligible', 'False', 'Warning', 'ChooseNodes'),
    ...onCondition(transitions, 'UnknownExcludedNode', 'True', 'Warning', 'ChooseNodes'),
    ...onStart(transitions),
    ...onRetry(transitions),
    ...onNodes(situation, transitions, 'Warning', 'NodeFailed', ({ state }) => state === 'Failed'),
    ...onNodes(situation, transitions, 'Normal', nodeGone, ({ reason }) => reason === nodeGone),
    ...onHoldUps(situation, transitions),
    ...onCondition(transitions, 'Blocked', 'True', 'Warning', 'CreateJob'),
    ...onCondition(transitions, 'Suspended', 'True', 'Normal', 'Suspend', 'Suspended'),
    ...onResume(transitions),
    ...onCondition(transitions, 'Complete', 'True', 'Normal', 'Complete', 'Completed'),
    ...onFailure(situation, transitions),
  ];
}

/** The Event has the condition's reason, unless a shorter word is given for it. */
function onCondition(
  transitions: Transitions,
  type: string,
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

/** The template does not change, so it is told once for each spec. */
function onUnknownField({ before, after }: Transitions): readonly Announcement[] {
  const isLost = (conditions: typeof after.conditions) =>
    conditions?.find(({ reason }) => reason === unknownField);
  const lost = isLost(after.conditions);
  if (lost === undefined || isLost(before.conditions) !== undefined) return [];
  const occurrence = `generation-${after.observedGeneration ?? 0}`;
  const note = lost.message;
  return [{ type: 'Warning', reason: unknownField, action: 'CreateJob', note, occurrence }];
}

function onStart({ before, after }: Transitions): readonly Announcement[] {
  if (before.startTime !== undefined || after.startTime === undefined) return [];
  const { active = 0, desired = 0 } = after;
  const note = `started on ${active} of ${desired} nodes`;
  return [{ type: 'Normal', reason: 'Started', action: 'Start', note, occurrence: 'start' }];
}

function onRetry(transitions: Transitions): readonly Announcement[] {
  const { before, after } = transitions;
  if (before.retryNonce === after.retryNonce || (before.failed ?? 0) === 0) return [];
  const note = 'failed nodes are started again by hand';
  const occurrence = before.completionTime ?? since(transitions, 'Failed');
  return [{ type: 'Normal', reason: 'RetryRequested', action: 'Retry', note, occurrence }];
}

function onResume({ before, after }: Transitions): readonly Announcement[] {
  if (before.state !== 'Suspended' || after.state === 'Suspended') return [];
  const note = 'the DaemonJob goes on';
  const occurrence = `generation-${after.observedGeneration ?? 0}`;
  return [{ type: 'Normal', reason: 'Resumed', action: 'Resume', note, occurrence }];
}

/** However many nodes, it is one Event per reason: a mass failure must not become a mass of writes. */
function onNodes(
  { daemonJob }: Situation,
  { nodes }: Transitions,
  type: 'Normal' | 'Warning',
  reason: string,
  concerns: (entry: NodeEntry) => boolean,
): readonly Announcement[] {
  const concerned = nodes.filter(concerns);
  const [first] = concerned;
  if (first === undefined) return [];
  const others = concerned.slice(1).map(({ name }) => name);
  const rest = others.length === 0 ? '' : `; also ${listed(others)}`;
  const said = [`node ${first.name}`, first.reason, first.message].join(': ');
  const occurrence = `${first.jobName ?? first.name}-${daemonJob.metadata.uid}`;
  return [{ type, reason, action: 'RunOnNode', note: `${said}${rest}`, occurrence }];
}

/** The Event has the reason of the problem, as that of the Pod has it; one for each reason. */
function onHoldUps(situation: Situation, transitions: Transitions): readonly Announcement[] {
  const isHeldUp = ({ state, reason }: NodeEntry) =>
    (state === 'Running' || state === 'Unknown') && reason !== nodeGone;
  const reasons = new Set(transitions.nodes.filter(isHeldUp).flatMap(({ reason }) => reason ?? []));
  return [...reasons].flatMap((reason) =>
    onNodes(
      situation,
      transitions,
      'Warning',
      reason,
      (entry) => isHeldUp(entry) && entry.reason === reason,
    ),
  );
}

/** With the way to go on: what failed after the start can be run again, what was refused be corrected. */
function onFailure(situation: Situation, transitions: Transitions): readonly Announcement[] {
  const failed = onCondition(transitions, 'Failed', 'True', 'Warning', 'Fail', 'Failed');
  if (transitions.after.startTime === undefined) return failed;
  const retry = `; to run again where it failed: ${retryCommand(situation)}`;
  return failed.map(({ note, ...rest }) => ({
    ...rest,
    note: `${shortened(note, maxNoteLength - retry.length)}${retry}`,
  }));
}

/** Another value starts another retry, so the number of the one before is counted up. */
function retryCommand({ status, daemonJob, namespace }: Situation): string {
  const { retryNonce = '' } = status;
  const next = /^\d{1,9}$/.test(retryNonce) ? Number(retryNonce) + 1 : 1;
  const { name } = daemonJob.metadata;
  return `${kubectl(namespace)} annotate mdj ${name} ${annotations.retry}=${next} --overwrite`;
}

/**
 * Names the transition by what is on record before it: it is told before it is recorded, so a pass
 * that ends in between is decided again, later, and must not tell of it twice (A1 of apply-plan.ts).
 */
function since({ before }: Transitions, type: string): string {
  const known = before.conditions?.find((candidate) => candidate.type === type);
  return known?.lastTransitionTime ?? 'unknown';
}
