/** A picture of an AppWrapper: each of its components is a step without dependencies. */
import type { AppWrapper } from '#shared/api/app-wrapper.ts';
import type { AppWrapperPhase, ComponentStatus } from '#shared/api/app-wrapper-status.ts';
import type { StepState } from '#shared/api/job-flow.ts';
import { type Condition, conditionStatus } from '#shared/domain/conditions.ts';
import { parseTime } from '#shared/domain/time.ts';
import { whySuspended } from '#shared/parents/suspension.ts';
import { componentNames } from '../component-names.ts';
import { unstarted } from './daemon-picture.ts';
import type { FlowPicture, StepPicture } from './flow-picture.ts';

/** States of a component without an end of its own: the AppWrapper counts all Pods together, so the phase decides. */
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

/** Uses recorded times. */
export function pictureOfWrapper(wrapper: AppWrapper): FlowPicture {
  const { metadata, status } = wrapper;
  const names = componentNames(wrapper);
  const { phase, conditions = [], componentStatus = [] } = status ?? {};
  const isEnded = hasEnded(phase);
  const end = conditions.find(({ type }) => type === 'Finished') ?? latestOf(conditions);
  const why = isEnded ? end : whyNotEnded(wrapper);
  return {
    name: metadata.name,
    state: phase ?? 'Pending',
    isEnded,
    hasFailed: phase === 'Failed',
    startedMs: parseTime(metadata.creationTimestamp) ?? 0,
    endedMs: isEnded ? parseTime(end?.lastTransitionTime) : undefined,
    reason: why?.reason,
    message: why?.message,
    steps: componentStatus.map((component, index) => ({
      ...stepOf(component, phase),
      name: names[index] ?? component.kind,
    })),
  };
}

function hasEnded(phase: AppWrapperPhase | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

function latestOf(conditions: readonly Condition[]): Condition | undefined {
  return conditions.toSorted(
    (left, right) =>
      (parseTime(right.lastTransitionTime) ?? 0) - (parseTime(left.lastTransitionTime) ?? 0),
  )[0];
}

const troubles: ReadonlySet<string> = new Set(['DeletingResources', 'Unhealthy']);

/** Conditions of one second have no order, so the phase decides which one counts. */
function whyNotEnded({
  metadata,
  spec,
  status,
}: AppWrapper): Pick<Condition, 'reason' | 'message'> | undefined {
  const { phase, conditions = [] } = status ?? {};
  if (phase === 'Suspended' && spec.suspend === true) return whySuspended(metadata, 'Suspended');
  const trouble = conditions.find((each) => troubles.has(each.type) && each.status === 'True');
  const ready = conditions.find(({ type }) => type === 'PodsReady');
  return trouble ?? (phase === 'Running' ? ready : undefined) ?? latestOf(conditions);
}

function stepOf(
  { conditions = [] }: ComponentStatus,
  phase: AppWrapperPhase | undefined,
): Omit<StepPicture, 'name'> {
  const deployed = conditions.find(({ type }) => type === 'ResourcesDeployed');
  const isThere = deployed?.status === 'True';
  const state = stateOf(conditions, phase, isThere);
  const isExplained = isThere || state === 'Succeed';
  return {
    ...unstarted,
    state,
    reason: isExplained ? undefined : deployed?.reason,
    message: isExplained ? undefined : deployed?.message,
  };
}

/** The end of a component or of the AppWrapper counts also after the resource was removed. */
function stateOf(
  conditions: readonly Condition[],
  phase: AppWrapperPhase | undefined,
  isThere: boolean,
): StepState {
  if (conditionStatus(conditions, 'Finished') === 'True') return 'Succeed';
  return phase !== undefined && (isThere || hasEnded(phase)) ? states[phase] : 'Waiting';
}
