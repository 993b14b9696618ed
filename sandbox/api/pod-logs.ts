/** The output of containers: what the HTTP front asks the kubelets for. */
import type { KubeObject } from '#shared/domain/objects.ts';

export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Without the end of line. */
  readonly text: string;
}

export interface ContainerLog {
  /** All lines so far, oldest first; a later answer for the same run only adds to them. */
  readonly lines: readonly LogLine[];
  /** Whether more may come. */
  readonly isRunning: boolean;
}

export interface PodLogs {
  /** Of the present run, or of the one before; undefined when there has been no such run. */
  logsOf(pod: KubeObject, container: string, previous: boolean): ContainerLog | undefined;
}
