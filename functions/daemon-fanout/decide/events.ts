/** Kubernetes Events: one per transition of the DaemonJob, none per node that succeeds. */
import type { NodeEntry } from '#shared/api/daemon-job.ts';
import {
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
import { unknownField } from './findings.ts';
import { nodeGone, type Situation } from './situation.ts';
import type { Transitions } from './transitions.ts';

export function eventsFor(
  situation: Situation,
  transitions: Transitions,
): readonly EmitEventOperation[] {
  return emitted(situation.daemonJob, announcements(situation, transitions));
}

function announcements(situation: Situation, transitions: Transitions): readonly Announcement[] {
  const { active = 0, desired = 0 } = transitions.after;
  const { daemonJob, status } = situation;
  const command = retryCommand('mdj', daemonJob, status.retryNonce);
  const retry =
    daemonJob.spec.shutdown === undefined ? command : `remove spec.shutdown, then ${command}`;
  return [
    ...onCondition(transitions, 'Accepted', 'False', 'Warning', 'Validate'),
    ...onCondition(transitions, 'UnknownAnnotation', 'True', 'Warning', 'ReadAnnotations'),
    ...onUnknownField(transitions),
    ...onCondition(transitions, 'NodesEligible', 'False', 'Warning', 'ChooseNodes'),
    ...onCondition(transitions, 'UnknownExcludedNode', 'True', 'Warning', 'ChooseNodes'),
    ...onStart(transitions, () => `on ${active} of ${desired} nodes`),
    ...onRetry(transitions),
    ...onNodes(situation, transitions, 'Warning', 'NodeFailed', ({ state }) => state === 'Failed'),
    ...onNodes(situation, transitions, 'Normal', nodeGone, ({ reason }) => reason === nodeGone),
    ...onHoldUps(situation, transitions),
    ...onCondition(transitions, 'Blocked', 'True', 'Warning', 'CreateJob'),
    ...onShutdown(transitions),
    ...onCondition(transitions, 'Suspended', 'True', 'Normal', 'Suspend', 'Suspended'),
    ...onResumption(transitions),
    ...onCondition(transitions, 'Complete', 'True', 'Normal', 'Complete', 'Completed'),
    ...onFailure(transitions, `where it failed: ${retry}`),
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

/** A retry resumes what a failure had held back, and the spec stays what it was. */
function onResumption(transitions: Transitions): readonly Announcement[] {
  return onResume(transitions, 'the DaemonJob').map((resumed) => ({
    ...resumed,
    occurrence: `${resumed.occurrence}-${since(transitions, 'Suspended')}`,
  }));
}

function onRetry({ before, after }: Transitions): readonly Announcement[] {
  if (before.retryNonce === after.retryNonce) return [];
  const refusal = after.conditions?.find(({ type }) => type === 'RetryRefused');
  if (refusal?.status === 'True') {
    const note = `${after.retryNonce ?? ''}: ${refusal.message}`;
    const occurrence = `retry-${after.retryNonce ?? ''}`;
    return [{ type: 'Warning', reason: 'RetryRefused', action: 'Retry', note, occurrence }];
  }
  if ((before.failed ?? 0) === 0) return [];
  const note = retriedWords('failed nodes', after.retryNonce);
  // Several may be asked for before it ends.
  const occurrence = `retry-${after.retryNonce ?? ''}`;
  return [{ type: 'Normal', reason: 'RetryRequested', action: 'Retry', note, occurrence }];
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
  const occurrence = `${first.jobName ?? first.name}-${daemonJob.metadata.uid}`;
  return [{ type, reason, action: 'RunOnNode', note: firstOf('node', concerned), occurrence }];
}

/** A suspended one has an entry only where the DaemonJob did not suspend it. */
const heldStates: ReadonlySet<NodeEntry['state']> = new Set(['Running', 'Unknown', 'Suspended']);

/** The Event has the reason of the problem, as that of the Pod has it; one for each reason. */
function onHoldUps(situation: Situation, transitions: Transitions): readonly Announcement[] {
  const isHeldUp = ({ state, reason }: NodeEntry) => heldStates.has(state) && reason !== nodeGone;
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
