/** Kubernetes Events: one per transition of the DaemonJob, none per node that succeeds. */
import type { DaemonJob, NodeEntry } from '#shared/api/daemon-job.ts';
import {
  type Announcement,
  emitted,
  onCondition,
  onResume,
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
import { unknownField } from './findings.ts';
import { deadlineExceeded, nodeGone, type Situation } from './situation.ts';
import type { Transitions } from './transitions.ts';
import { daemonJobWords } from './words.ts';

export function eventsFor(
  situation: Situation,
  transitions: Transitions,
): readonly EmitEventOperation[] {
  return emitted(situation.daemonJob, announcements(situation, transitions));
}

function announcements(situation: Situation, transitions: Transitions): readonly Announcement[] {
  const { daemonJob } = situation;
  const { after, nodes } = transitions;
  const { active = 0, desired = 0 } = after;
  const report = ofNodes(daemonJob);
  const failed = nodes.filter(({ state }) => state === 'Failed');
  const gone = nodes.filter(({ reason }) => reason === nodeGone);
  return courseOf(transitions, {
    words: daemonJobWords,
    judged: [
      ...onUnknownAnnotation(transitions),
      ...onUnknownField(transitions),
      ...onCondition(transitions, 'NodesEligible', 'False', 'Warning', 'ChooseNodes'),
      ...onCondition(transitions, 'UnknownExcludedNode', 'True', 'Warning', 'ChooseNodes'),
    ],
    started: () => `on ${active} of ${desired} nodes`,
    retried: onRetry(transitions),
    parts: [
      ...onParts(report, 'Warning', 'NodeFailed', failed),
      ...onParts(report, 'Normal', nodeGone, gone),
      ...onHoldUps(report, nodes.filter(isHeldUp)),
    ],
    overdue: deadlineExceeded,
    resumed: onResumption(transitions),
    toRunAgain: `where it failed: ${howToRetry('mdj', daemonJob)}`,
  });
}

function ofNodes({ metadata }: DaemonJob): PartReport<NodeEntry> {
  const occurrenceOf = ({ jobName, name }: NodeEntry) => `${jobName ?? name}-${metadata.uid}`;
  return { words: daemonJobWords, action: 'RunOnNode', occurrenceOf };
}

/** Reported once for each spec, since the template does not change. */
function onUnknownField({ before, after }: Transitions): readonly Announcement[] {
  const isLost = (conditions: typeof after.conditions) =>
    conditions?.find(({ reason }) => reason === unknownField);
  const lost = isLost(after.conditions);
  if (lost === undefined || isLost(before.conditions) !== undefined) return [];
  const occurrence = `generation-${after.observedGeneration ?? 0}`;
  const note = lost.message;
  return [{ type: 'Warning', reason: unknownField, action: 'CreateJob', note, occurrence }];
}

/** A retry may resume what a failure held back, without a change of the spec. */
function onResumption(transitions: Transitions): readonly Announcement[] {
  return onResume(transitions, 'the DaemonJob').map((resumed) => ({
    ...resumed,
    occurrence: `${resumed.occurrence}-${since(transitions, 'Suspended')}`,
  }));
}

/** Several retries may be requested before the DaemonJob ends. */
function onRetry(transitions: Transitions): readonly Announcement[] {
  const { before, after } = transitions;
  const occurrence = `retry-${after.retryNonce ?? ''}`;
  return onManualRetry(transitions, occurrence, () =>
    (before.failed ?? 0) === 0
      ? undefined
      : { note: retriedWords('failed nodes', after.retryNonce), occurrence },
  );
}

/** A suspended node has an entry only if the DaemonJob did not suspend it. */
const heldStates: ReadonlySet<NodeEntry['state']> = new Set(['Running', 'Unknown', 'Suspended']);

function isHeldUp({ state, reason }: NodeEntry): boolean {
  return heldStates.has(state) && reason !== nodeGone;
}
