/** The life of one container: it starts, ends and is restarted (pkg/kubelet/kuberuntime). */
import { parseTime, rfc3339 } from '#shared/domain/time.ts';
import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  isSidecar,
  type Pod,
  type TerminatedState,
} from '../objects/pod.ts';
import type { ContainerRun, ContainerRuntime } from './container-runtime.ts';

export interface Progress {
  readonly status: ContainerStatus;
  readonly lookAgainMs?: number;
}

export interface PlacedContainer {
  readonly pod: Pod;
  readonly container: Container;
  readonly isInit: boolean;
}

const firstRestartDelayMs = 10_000;
const longestRestartDelayMs = 300_000;
const startRetryMs = 10_000;

/** A container that has not been started yet. */
export function waitingContainer({ name, image = '' }: Container, reason: string): ContainerStatus {
  return {
    name,
    image,
    imageID: '',
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason } },
  };
}

/** Starts a waiting container, looks at a running one, and restarts one that has ended. */
export function advance(
  placed: PlacedContainer,
  status: ContainerStatus,
  runtime: ContainerRuntime,
  nowMs: number,
): Progress {
  if (status.state.terminated !== undefined) {
    if (!isRestarted(placed, status.state.terminated)) return { status };
    return restart(placed, status, runtime, nowMs);
  }
  if (status.state.running !== undefined) {
    const next = lookAtRunning(placed, status, runtime, nowMs);
    return next.status === status ? next : advance(placed, next.status, runtime, nowMs);
  }
  return status.lastState?.terminated === undefined
    ? begin(placed, status, runtime, nowMs)
    : restart(placed, status, runtime, nowMs);
}

/** Stops the container, by force after `graceMs`. */
export function halt(
  placed: PlacedContainer,
  status: ContainerStatus,
  graceMs: number,
  runtime: ContainerRuntime,
  nowMs: number,
): Progress {
  if (status.state.terminated !== undefined) return { status };
  if (status.state.running === undefined) {
    return { status: { ...status, state: { terminated: neverRan } } };
  }
  runtime.stop(runOf(placed, status), graceMs, nowMs);
  return lookAtRunning(placed, status, runtime, nowMs);
}

export function runOf(placed: PlacedContainer, { restartCount }: ContainerStatus): ContainerRun {
  return { ...placed, restart: restartCount };
}

// The report for a container that was never started, in a Pod that was stopped.
const neverRan: TerminatedState = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the pod was terminated',
};

function lookAtRunning(
  placed: PlacedContainer,
  status: ContainerStatus,
  runtime: ContainerRuntime,
  nowMs: number,
): Progress {
  const startedAt = status.state.running?.startedAt ?? rfc3339(nowMs);
  const state = runtime.look(runOf(placed, status), parseTime(startedAt) ?? nowMs, nowMs);
  if (state.kind === 'running') {
    return { status, ...(state.lookAgainMs !== undefined && { lookAgainMs: state.lookAgainMs }) };
  }
  const { exitCode, finishedMs } = state;
  const terminated: TerminatedState = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt,
    finishedAt: rfc3339(finishedMs),
    ...(status.containerID !== undefined && { containerID: status.containerID }),
  };
  return { status: { ...status, ready: false, started: false, state: { terminated } } };
}

function begin(
  placed: PlacedContainer,
  status: ContainerStatus,
  runtime: ContainerRuntime,
  nowMs: number,
): Progress {
  const failure = runtime.start(runOf(placed, status), nowMs);
  if (failure !== undefined) {
    return {
      status: { ...status, state: { waiting: failure } },
      lookAgainMs: nowMs + startRetryMs,
    };
  }
  const { pod, container } = placed;
  const running: ContainerState = { running: { startedAt: rfc3339(nowMs) } };
  const started = {
    ...status,
    containerID: `sandbox://${pod.metadata.uid}/${container.name}/${status.restartCount}`,
    ready: true,
    started: true,
    state: running,
  };
  const seen = lookAtRunning(placed, started, runtime, nowMs);
  // Even a container that ends at once is reported as running first.
  return seen.status === started ? seen : { status: started, lookAgainMs: nowMs };
}

function isRestarted({ pod, container, isInit }: PlacedContainer, { exitCode }: TerminatedState) {
  if (isInit && isSidecar(container)) return true;
  const policy = pod.spec.restartPolicy ?? 'Always';
  if (policy === 'Never' || (isInit && exitCode === 0)) return false;
  return policy === 'Always' || exitCode !== 0;
}

/** At once for the first restart, then after 10 s, 20 s and so on up to five minutes. */
function restart(
  placed: PlacedContainer,
  status: ContainerStatus,
  runtime: ContainerRuntime,
  nowMs: number,
): Progress {
  const ended = status.state.terminated ?? status.lastState?.terminated;
  const delayMs = restartDelayMs(status.restartCount);
  const dueMs = (parseTime(ended?.finishedAt) ?? nowMs) + delayMs;
  const lastState = ended === undefined ? {} : { lastState: { terminated: ended } };
  if (nowMs < dueMs) {
    const { pod, container } = placed;
    const message =
      `back-off ${delayMs / 1000}s restarting failed container=${container.name} ` +
      `pod=${pod.metadata.name}_${pod.metadata.namespace ?? ''}(${pod.metadata.uid})`;
    const waiting = { reason: 'CrashLoopBackOff', message };
    return { status: { ...status, ...lastState, state: { waiting } }, lookAgainMs: dueMs };
  }
  const next = { ...status, ...lastState, restartCount: status.restartCount + 1 };
  return begin(placed, next, runtime, nowMs);
}

function restartDelayMs(restartCount: number): number {
  if (restartCount === 0) return 0;
  return Math.min(longestRestartDelayMs, firstRestartDelayMs * 2 ** (restartCount - 1));
}
