/** The output of containers, for `kubectl logs`. */
import type { Clock } from '#shared/domain/clock.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { ContainerLog, PodLogs } from '../../api/pod-logs.ts';
import { asPod, type ContainerStatus, type Pod, type TerminatedState } from '../objects/pod.ts';
import type { ContainerRuntime } from './container-runtime.ts';

export class KubeletLogs implements PodLogs {
  readonly #runtime: ContainerRuntime;
  readonly #clock: Clock;

  constructor(runtime: ContainerRuntime, clock: Clock) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  /**
   * Output of the container's latest run, or with `previous` of the run before it. Undefined when there was no such
   * run.
   */
  logsOf(object: KubeObject, name: string, previous: boolean): ContainerLog | undefined {
    const pod = asPod(object);
    const init = pod.spec.initContainers?.find((each) => each.name === name);
    const container = init ?? pod.spec.containers.find((each) => each.name === name);
    const status = statusOf(pod, name);
    const chosen = status && chosenRun(status, previous);
    if (container === undefined || chosen === undefined) return undefined;
    const { restart, startedAt, isRunning } = chosen;
    const nowMs = this.#clock.now();
    const run = { pod, container, isInit: init !== undefined, restart };
    const lines = this.#runtime.logs(run, parseTime(startedAt) ?? nowMs, nowMs) ?? [];
    return { lines, isRunning };
  }
}

function statusOf({ status }: Pod, name: string): ContainerStatus | undefined {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].find(
    (each) => each.name === name,
  );
}

/** A container that waits for its restart has ended its latest run. */
function chosenRun({ state, lastState, restartCount }: ContainerStatus, previous: boolean) {
  const { running, terminated } = state;
  const isWaiting = running === undefined && terminated === undefined;
  const ofEnded = (ended: TerminatedState | undefined, restart: number) =>
    ended === undefined ? undefined : { restart, startedAt: ended.startedAt, isRunning: false };
  if (isWaiting) return ofEnded(lastState?.terminated, restartCount);
  if (previous) return ofEnded(lastState?.terminated, restartCount - 1);
  if (terminated !== undefined) return ofEnded(terminated, restartCount);
  return { restart: restartCount, startedAt: running?.startedAt, isRunning: true };
}
