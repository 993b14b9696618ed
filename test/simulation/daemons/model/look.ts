/** What one decision about a DaemonJob had in sight. Objects as they were committed, not as observe reads them. */
import type { DaemonJob, DaemonJobSpec } from '#shared/api/daemon-job.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { EventsOfJobs } from '../../model/look.ts';
import { hasEnded, jobParts } from '../../model/job-fate.ts';

export interface DaemonLook {
  readonly daemonJob: DaemonJob;
  /** The spec that it was started with; undefined before its start. */
  readonly startedWith: DaemonJobSpec | undefined;
  /** By name. */
  readonly nodes: readonly KubeObject[];
  /** Its Jobs, by name. */
  readonly jobs: readonly KubeObject[];
  /** Pods of the Jobs in doubt; undefined: not looked at, or nobody may. */
  readonly pods: readonly KubeObject[] | undefined;
  readonly events: EventsOfJobs;
  /** Names of Jobs on record, or seen once, that are certainly no more. */
  readonly gone: ReadonlySet<string>;
  /** A Job that went before the record tells of it is in `gone`. */
  readonly noticesRemovals: boolean;
  /** Many decisions were under way. */
  readonly isUnderLoad: boolean;
  /** Names of Jobs that the API server would not create, and why. */
  readonly refused: ReadonlyMap<string, string>;
  /** It has lost a part of those that it has created. */
  readonly isWarned: boolean;
  /** The API server's time, milliseconds since the epoch. */
  readonly atMs: number;
}

/** The machine that a Job is for, by the UID of its node. */
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

/** A Job that is still to be deleted when it has to go. */
export function isDeletable(job: KubeObject): boolean {
  return isRunning(job) && job.metadata.deletionTimestamp === undefined;
}

/** It has started, and nothing else is said of it. */
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
