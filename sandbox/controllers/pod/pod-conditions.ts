/** The conditions that a kubelet sets (pkg/kubelet/status/generate.go). */
import { rfc3339 } from '#shared/domain/time.ts';
import type { Pod, PodCondition, PodPhase, PodStatus } from '../objects/pod.ts';

export interface PodFacts {
  readonly phase: PodPhase;
  readonly isInitialized: boolean;
  readonly areContainersReady: boolean;
  /** Names of containers that are not ready, for the message. */
  readonly unready: readonly string[];
}

/** In the kubelet's order. Other conditions, such as DisruptionTarget, stay. */
export function kubeletConditions(
  pod: Pod,
  facts: PodFacts,
  nowMs: number,
): readonly PodCondition[] {
  const before = pod.status?.conditions ?? [];
  const own = wanted(facts).map((next) => keepingTime(next, before, nowMs));
  const types = new Set(own.map(({ type }) => type));
  const present = before.find(({ type }) => type === 'PodScheduled');
  const others = before.filter(({ type }) => !types.has(type) && type !== 'PodScheduled');
  const last = present ?? keepingTime({ type: 'PodScheduled', status: 'True' }, before, nowMs);
  return [...others, ...own, last];
}

function wanted({ phase, isInitialized, areContainersReady, unready }: PodFacts): PodCondition[] {
  if (phase === 'Succeeded' || phase === 'Failed') {
    const reason = phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed';
    return [
      { type: 'PodReadyToStartContainers', status: 'False' },
      { type: 'Initialized', status: 'True', ...(phase === 'Succeeded' && { reason }) },
      { type: 'Ready', status: 'False', reason },
      { type: 'ContainersReady', status: 'False', reason },
    ];
  }
  const notReady = {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  } as const;
  const readiness = areContainersReady ? ({ status: 'True' } as const) : notReady;
  const initialized = isInitialized
    ? ({ status: 'True' } as const)
    : ({ status: 'False', reason: 'ContainersNotInitialized' } as const);
  return [
    { type: 'PodReadyToStartContainers', status: 'True' },
    { type: 'Initialized', ...initialized },
    { type: 'Ready', ...readiness },
    { type: 'ContainersReady', ...readiness },
  ];
}

/** `lastTransitionTime` changes only with the status. */
function keepingTime(
  next: PodCondition,
  before: readonly PodCondition[],
  nowMs: number,
): PodCondition {
  const previous = before.find(({ type }) => type === next.type);
  const lastTransitionTime =
    previous?.status === next.status ? previous.lastTransitionTime : undefined;
  return {
    ...next,
    lastTransitionTime: lastTransitionTime ?? rfc3339(nowMs),
  };
}

/** The status with a condition that is not the kubelet's, such as DisruptionTarget. */
export function withPodCondition({ status = {} }: Pod, condition: PodCondition): PodStatus {
  const others = (status.conditions ?? []).filter(({ type }) => type !== condition.type);
  return { ...status, conditions: [...others, condition] };
}
