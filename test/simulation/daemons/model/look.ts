/** The state that one decision about a DaemonJob saw: objects as committed, not as observe parses them. */
import type { DaemonJob, DaemonJobSpec } from '#shared/api/daemon-job.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { EventsOfJobs } from '../../model/look.ts';
import { hasEnded, jobParts } from '../../model/job-fate.ts';

export interface DaemonLook {
  readonly daemonJob: DaemonJob;
  /** The spec at its start. Undefined before the start. */
  readonly startedWith: DaemonJobSpec | undefined;
  /** By name. */
  readonly nodes: readonly KubeObject[];
  /** Its Jobs, by name. */
  readonly jobs: readonly KubeObject[];
  /** Pods of doubtful Jobs. Undefined: not read, or not permitted. */
  readonly pods: readonly KubeObject[] | undefined;
  readonly events: EventsOfJobs;
  /** When it began to read, by the API server's time in milliseconds since the epoch. */
  readonly beganAtMs: number;
  /** Names of recorded or observed Jobs that are certainly gone. */
  readonly gone: ReadonlySet<string>;
  /** A Job that is removed before the status records it is in `gone`. */
  readonly noticesRemovals: boolean;
  /** Many decisions were running. */
  readonly isUnderLoad: boolean;
  /** Names of Jobs that the API server refused, with the reasons. */
  readonly refused: ReadonlyMap<string, string>;
  /** It dropped fields of created Jobs. */
  readonly isWarned: boolean;
  /** The API server's time in milliseconds since the epoch. */
  readonly atMs: number;
}

/** The machine of a Job, by the UID of its node. */
export function machineOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.nodeUid];
}

export function attemptOn({ metadata }: KubeObject): number {
  return Number(metadata.labels?.[labels.attempt]);
}

export function nodeOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[annotations.nodeName];
}

export function isRunning(job: KubeObject): boolean {
  return !hasEnded(job);
}

/** A Job that is not being deleted yet. */
export function isDeletable(job: KubeObject): boolean {
  return isRunning(job) && job.metadata.deletionTimestamp === undefined;
}

/** It has started, without any remark. */
export function isPlainlyRunning(job: KubeObject): boolean {
  const { spec, status } = jobParts(job);
  const isSettled = (status.conditions ?? []).some(({ status: holds }) => holds === 'True');
  const { deletionTimestamp } = job.metadata;
  return (
    status.startTime !== undefined &&
    spec.suspend !== true &&
    deletionTimestamp === undefined &&
    !isSettled
  );
}
