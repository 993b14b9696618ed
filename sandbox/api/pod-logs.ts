/** The output of containers, as the HTTP front requests it from the kubelets. */
import type { KubeObject } from '#shared/domain/objects.ts';

export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Without the end of line. */
  readonly text: string;
}

export interface ContainerLog {
  /** All lines so far, oldest first. A later answer for the same run only adds lines. */
  readonly lines: readonly LogLine[];
  /** Whether more lines may follow. */
  readonly isRunning: boolean;
}

export interface PodLogs {
  /** Output of the present run, or of the previous one. Undefined when there was no such run. */
  logsOf(pod: KubeObject, container: string, previous: boolean): ContainerLog | undefined;
}
