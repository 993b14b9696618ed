/** What runs containers for the virtual kubelets: simulated ones, or processes of this machine. */
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

/** Why a run did not begin, in the words of the kubelet: `ErrImagePull`, `CreateContainerConfigError`. */
export interface StartFailure {
  readonly reason: string;
  readonly message?: string;
}

export type RunState =
  | {
      readonly kind: 'running';
      /** When it is worth looking again; absent: the runtime reports the end by itself. */
      readonly lookAgainMs?: number;
    }
  | { readonly kind: 'ended'; readonly exitCode: number; readonly finishedMs: number };

export interface ContainerRuntime {
  /** Begins a run; called once for each. */
  start(run: ContainerRun, nowMs: number): StartFailure | undefined;
  /** `startedMs` is when it began as far as the Pod's status tells, for runs of a former process. */
  look(run: ContainerRun, startedMs: number, nowMs: number): RunState;
  /** Asks the run to end and makes it end after `graceMs`. Called again while it has not ended. */
  stop(run: ContainerRun, graceMs: number, nowMs: number): void;
  /** What the run has printed by now; undefined when the runtime knows nothing of it. */
  logs(run: ContainerRun, startedMs: number, nowMs: number): readonly LogLine[] | undefined;
  /** The Pod is gone: nothing of it is needed any more. */
  forget(podUid: string): void;
  /** Told when a run has ended by itself; never called by a runtime that needs no waking. */
  onEnd(listener: (pod: Pod) => void): void;
}

/** Unique among all runs, also those of Pods with the same name one after the other. */
export function runId({ pod, container, restart }: ContainerRun): string {
  return `${pod.metadata.uid}/${container.name}/${restart}`;
}
