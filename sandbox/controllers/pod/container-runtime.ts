/** Runs the containers of the virtual kubelets: simulated ones, or processes of this machine. */
import type { LogLine } from '../../api/pod-logs.ts';
import type { Container, Pod } from '../objects/pod.ts';

/** One run of a container; a restart is another one. */
export interface ContainerRun {
  readonly pod: Pod;
  readonly container: Container;
  readonly isInit: boolean;
  /** 0 for the first run. */
  readonly restart: number;
}

/** The reason why a run did not begin, as the kubelet words it: `ErrImagePull`, `CreateContainerConfigError`. */
export interface StartFailure {
  readonly reason: string;
  readonly message?: string;
}

export type RunState =
  | {
      readonly kind: 'running';
      /** Time of the next look. Absent: the runtime reports the end by itself. */
      readonly lookAgainMs?: number;
    }
  | { readonly kind: 'ended'; readonly exitCode: number; readonly finishedMs: number };

export interface ContainerRuntime {
  /** Begins a run. Called once for each run. */
  start(run: ContainerRun, nowMs: number): StartFailure | undefined;
  /** `startedMs`: the start according to the Pod's status, for runs of an earlier process. */
  look(run: ContainerRun, startedMs: number, nowMs: number): RunState;
  /** Asks the run to end, and forces it after `graceMs`. May be called again until it has ended. */
  stop(run: ContainerRun, graceMs: number, nowMs: number): void;
  /** The output so far. Undefined: the runtime does not know the run. */
  logs(run: ContainerRun, startedMs: number, nowMs: number): readonly LogLine[] | undefined;
  /** The Pod is gone: everything that was kept for it can be removed. */
  forget(podUid: string): void;
  /** `listener` is called when a run has ended by itself. A runtime whose ends are known in advance never calls it. */
  onEnd(listener: (pod: Pod) => void): void;
}

/** Unique among all runs, even of successive Pods with the same name. */
export function runId({ pod, container, restart }: ContainerRun): string {
  return `${pod.metadata.uid}/${container.name}/${restart}`;
}
