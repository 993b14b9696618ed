/** An AppWrapper as a follower sees it: each of its components is a step that waits for nothing. */
import type { AppWrapper } from '#shared/api/app-wrapper.ts';
import type { AppWrapperPhase, ComponentStatus } from '#shared/api/app-wrapper-status.ts';
import type { StepState } from '#shared/api/job-flow.ts';
import { parseTime } from '#shared/domain/time.ts';
import { unstarted } from './daemon-picture.ts';
import type { FlowPicture, StepPicture } from './flow-picture.ts';

/** Of a component that exists: what it does itself is known of its Pods alone, which the AppWrapper counts as one. */
const states: Readonly<Record<AppWrapperPhase, StepState>> = {
  Suspended: 'Suspended',
  Resuming: 'Pending',
  Running: 'Running',
  Resetting: 'Pending',
  Suspending: 'Suspended',
  Succeeded: 'Succeed',
  Failed: 'Failed',
  Terminating: 'Skipped',
};

/** Times are those on record. */
export function pictureOfWrapper({ metadata, status }: AppWrapper): FlowPicture {
  const { phase, conditions = [], componentStatus = [] } = status ?? {};
  const latest = conditions.toSorted(
    (left, right) =>
      (parseTime(right.lastTransitionTime) ?? 0) - (parseTime(left.lastTransitionTime) ?? 0),
  )[0];
  const isEnded = phase === 'Succeeded' || phase === 'Failed';
  return {
    name: metadata.name,
    state: phase ?? 'Pending',
    isEnded,
    hasFailed: phase === 'Failed',
    startedMs: parseTime(metadata.creationTimestamp) ?? 0,
    endedMs: isEnded ? parseTime(latest?.lastTransitionTime) : undefined,
    reason: latest?.reason,
    message: latest?.message,
    steps: componentStatus.map((component) => stepOf(component, phase)),
  };
}

function stepOf(
  { name, kind, conditions = [] }: ComponentStatus,
  phase: AppWrapperPhase | undefined,
): StepPicture {
  const deployed = conditions.find(({ type }) => type === 'ResourcesDeployed');
  const isThere = deployed?.status === 'True';
  return {
    ...unstarted,
    name: name === '' ? kind : `${kind}/${name}`,
    state: isThere && phase !== undefined ? states[phase] : 'Waiting',
    reason: isThere ? undefined : deployed?.reason,
    message: isThere ? undefined : deployed?.message,
  };
}
