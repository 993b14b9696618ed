/** The life of a Pod as a whole: init containers one after the other, then all others at once. */
import { parseTime, rfc3339 } from '#shared/domain/time.ts';
import { earliest } from '../controller.ts';
import type { Node } from '../objects/node.ts';
import {
  type Container,
  type ContainerStatus,
  isSidecar,
  type Pod,
  type PodPhase,
  type PodStatus,
} from '../objects/pod.ts';
import { advance, halt, type Progress, waitingContainer } from './container-progress.ts';
import type { ContainerRuntime } from './container-runtime.ts';
import { kubeletConditions } from './pod-conditions.ts';
import { podAddress } from './pod-address.ts';

export interface PodStep {
  readonly status: PodStatus;
  readonly lookAgainMs?: number;
}

/** The next status of a running Pod. */
export function advancePod(
  pod: Pod,
  node: Node,
  runtime: ContainerRuntime,
  nowMs: number,
): PodStep {
  const deadlineMs = podDeadlineMs(pod, nowMs);
  if (nowMs >= deadlineMs) return pastDeadline(pod, node, runtime, nowMs);
  const init = advanceInit(pod, runtime, nowMs);
  const main = init.isDone
    ? advanceMain(pod, runtime, nowMs)
    : { statuses: mainStatuses(pod, 'PodInitializing'), moments: [] };
  const phase = init.hasFailed ? 'Failed' : phaseOf(main.statuses);
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const sidecars = isOver ? stopSidecars(pod, init.statuses, runtime, nowMs) : init;
  const areSidecarsDone = sidecars.statuses.every(({ state }) => state.running === undefined);
  return step(
    pod,
    node,
    {
      phase: isOver && !areSidecarsDone ? 'Running' : phase,
      init: sidecars.statuses,
      main: main.statuses,
      isInitialized: init.isDone,
    },
    nowMs,
    isOver && areSidecarsDone
      ? undefined
      : earliest(deadlineMs, ...sidecars.moments, ...main.moments),
  );
}

/** The next status of a Pod that must end within `graceMs`. */
export function haltPod(
  pod: Pod,
  node: Node,
  graceMs: number,
  runtime: ContainerRuntime,
  nowMs: number,
): PodStep {
  const haltAll = (
    containers: readonly Container[],
    known: readonly ContainerStatus[],
    isInit: boolean,
  ) =>
    containers.map((container, index) =>
      halt(
        { pod, container, isInit },
        known[index] ?? waitingContainer(container, ''),
        graceMs,
        runtime,
        nowMs,
      ),
    );
  const main = haltAll(pod.spec.containers, mainStatuses(pod, ''), false);
  const begun = initStatuses(pod).filter(({ state }) => state.waiting === undefined);
  const init = haltAll((pod.spec.initContainers ?? []).slice(0, begun.length), begun, true);
  const all = [...init, ...main];
  const hasStopped = all.every(({ status }) => status.state.terminated !== undefined);
  const failed = main.some(({ status }) => status.state.terminated?.exitCode !== 0);
  const ended = failed ? 'Failed' : 'Succeeded';
  return step(
    pod,
    node,
    {
      phase: hasStopped ? ended : (pod.status?.phase ?? 'Pending'),
      init: [...init.map(({ status }) => status), ...initStatuses(pod).slice(begun.length)],
      main: main.map(({ status }) => status),
      isInitialized: true,
    },
    nowMs,
    hasStopped ? undefined : earliest(...all.map(({ lookAgainMs }) => lookAgainMs)),
  );
}

interface Advanced {
  readonly statuses: readonly ContainerStatus[];
  readonly moments: readonly (number | undefined)[];
}

function advanceInit(pod: Pod, runtime: ContainerRuntime, nowMs: number) {
  const containers = pod.spec.initContainers ?? [];
  const statuses = [...initStatuses(pod)];
  const moments: (number | undefined)[] = [];
  for (const [index, container] of containers.entries()) {
    const known = statuses[index] ?? waitingContainer(container, 'PodInitializing');
    const placed = { pod, container, isInit: true };
    const { status, lookAgainMs } = advance(placed, known, runtime, nowMs);
    moments.push(lookAgainMs);
    const { terminated, running } = status.state;
    const isDone = isSidecar(container) ? running !== undefined : terminated?.exitCode === 0;
    statuses[index] = { ...status, ready: isDone };
    if (isDone) continue;
    const hasFailed = terminated !== undefined;
    return { statuses, moments, isDone: false, hasFailed };
  }
  return { statuses, moments, isDone: true, hasFailed: false };
}

function advanceMain(pod: Pod, runtime: ContainerRuntime, nowMs: number): Advanced {
  const known = mainStatuses(pod, 'ContainerCreating');
  const progress: Progress[] = pod.spec.containers.map((container, index) => {
    const status = known[index] ?? waitingContainer(container, 'ContainerCreating');
    return advance({ pod, container, isInit: false }, status, runtime, nowMs);
  });
  return {
    statuses: progress.map(({ status }) => status),
    moments: progress.map(({ lookAgainMs }) => lookAgainMs),
  };
}

function stopSidecars(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  runtime: ContainerRuntime,
  nowMs: number,
): Advanced {
  const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
  const progress = (pod.spec.initContainers ?? []).map((container, index): Progress => {
    const status = statuses[index] ?? waitingContainer(container, 'PodInitializing');
    if (status.state.running === undefined) return { status };
    return halt({ pod, container, isInit: true }, status, graceMs, runtime, nowMs);
  });
  return {
    statuses: progress.map(({ status }) => status),
    moments: progress.map(({ lookAgainMs }) => lookAgainMs),
  };
}

/** pkg/kubelet/kubelet_pods.go, getPhase: all have ended, and none will be restarted. */
function phaseOf(statuses: readonly ContainerStatus[]): PodPhase {
  const ended = statuses.map(({ state }) => state.terminated);
  if (ended.every((terminated) => terminated !== undefined)) {
    return ended.every(({ exitCode }) => exitCode === 0) ? 'Succeeded' : 'Failed';
  }
  const hasStarted = statuses.some(
    ({ state, lastState }) => state.waiting === undefined || lastState?.terminated !== undefined,
  );
  return hasStarted ? 'Running' : 'Pending';
}

function pastDeadline(pod: Pod, node: Node, runtime: ContainerRuntime, nowMs: number): PodStep {
  const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
  const halted = haltPod(pod, node, graceMs, runtime, nowMs);
  if (halted.status.phase !== 'Failed' && halted.status.phase !== 'Succeeded') return halted;
  const message = 'Pod was active on the node longer than the specified deadline';
  return { status: { ...halted.status, phase: 'Failed', reason: 'DeadlineExceeded', message } };
}

function podDeadlineMs({ spec, status }: Pod, nowMs: number): number {
  if (spec.activeDeadlineSeconds === undefined) return Infinity;
  return (parseTime(status?.startTime) ?? nowMs) + spec.activeDeadlineSeconds * 1000;
}

function mainStatuses({ spec, status }: Pod, reason: string): readonly ContainerStatus[] {
  return spec.containers.map(
    (container) =>
      status?.containerStatuses?.find(({ name }) => name === container.name) ??
      waitingContainer(container, reason),
  );
}

function initStatuses({ spec, status }: Pod): readonly ContainerStatus[] {
  return (spec.initContainers ?? []).map(
    (container) =>
      status?.initContainerStatuses?.find(({ name }) => name === container.name) ??
      waitingContainer(container, 'PodInitializing'),
  );
}

interface Parts {
  readonly phase: PodPhase;
  readonly init: readonly ContainerStatus[];
  readonly main: readonly ContainerStatus[];
  readonly isInitialized: boolean;
}

function step(
  pod: Pod,
  node: Node,
  { phase, init, main, isInitialized }: Parts,
  nowMs: number,
  lookAgainMs: number | undefined,
): PodStep {
  const unready = main.filter(({ ready }) => !ready).map(({ name }) => name);
  const facts = { phase, isInitialized, areContainersReady: unready.length === 0, unready };
  const status: PodStatus = {
    ...pod.status,
    phase,
    ...podAddress(pod, node),
    startTime: pod.status?.startTime ?? rfc3339(nowMs),
    conditions: kubeletConditions(pod, facts, nowMs),
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: main,
  };
  return { status, ...(lookAgainMs !== undefined && lookAgainMs !== Infinity && { lookAgainMs }) };
}
