/** The record of a machine must follow from all Jobs that ever existed. */
import type { DaemonJob, DaemonJobSpec } from '#shared/api/daemon-job.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { conditionOf } from '../../model/job-fate.ts';
import { type Entry, ledgerOn, machineKey } from './ledger.ts';
import { attemptOn, machineOf } from './look.ts';

export interface DaemonPast {
  readonly daemonJob: DaemonJob;
  readonly nodes: readonly KubeObject[];
  /** Every Job that it ever had, in its last version. */
  readonly jobs: readonly KubeObject[];
  readonly isGone: (job: KubeObject) => boolean;
  /** Every spec that it ever had. */
  readonly specs: readonly DaemonJobSpec[];
}

export function endFaults(past: DaemonPast): readonly string[] {
  const ledger = ledgerOn(past.daemonJob);
  return past.nodes.flatMap(({ metadata: { name, uid } }) => {
    const entry = ledger.get(machineKey(uid));
    const jobs = past.jobs.filter((job) => machineOf(job) === uid);
    if (entry === undefined) return [];
    const of = (attempt: number) => eachOrNone(jobs.filter((job) => attemptOn(job) === attempt));
    const reasons = of(entry.attempt).map((job) => unfounded(past, name, entry, job));
    const why = reasons.includes(undefined) ? undefined : reasons[0];
    const before = Array.from({ length: entry.attempt }, (_, attempt) => attempt).filter(
      (attempt) => !of(attempt).some((job) => cameToNothing(past, job)),
    );
    return [
      ...(why === undefined ? [] : [`${name} is recorded as ${entry.state}: ${why}`]),
      ...before.map((attempt) => `${name}: attempt ${attempt} did not fail, and another followed`),
    ];
  });
}

/** More than one only after a lost lock (daemonjob-1): the record may follow from any of them. */
function eachOrNone(jobs: readonly KubeObject[]): readonly (KubeObject | undefined)[] {
  return jobs.length === 0 ? [undefined] : jobs;
}

/** Undefined: the record follows from the Job. */
function unfounded(
  past: DaemonPast,
  node: string,
  { state }: Entry,
  job: KubeObject | undefined,
): string | undefined {
  const isGone = job !== undefined && past.isGone(job);
  const hasSucceeded = job !== undefined && conditionOf(job, 'Complete') !== undefined;
  const hasFailed = job !== undefined && conditionOf(job, 'Failed') !== undefined;
  const said = past.daemonJob.status?.nodes?.find(({ name }) => name === node)?.reason;
  switch (state) {
    case 'Succeeded':
      return hasSucceeded ? undefined : 'no Job of this attempt did';
    case 'Failed':
      if (said === 'InvalidJob') return job === undefined ? undefined : 'its Job was created';
      if (said === 'ChildDeleted') return isGone ? undefined : 'its Job is there';
      // Entries of excluded nodes are dropped, and with them the reason of a failure.
      if (said === undefined && isGone && !hasSucceeded) return undefined;
      return hasFailed ? undefined : 'no Job of this attempt did';
    case 'Cancelled':
      return isGone && past.specs.some(mayCancel) ? undefined : 'no rule cancelled it';
    default:
      return undefined;
  }
}

function mayCancel({ failurePolicy, activeDeadlineSeconds, shutdown }: DaemonJobSpec): boolean {
  return failurePolicy === 'FailFast' || (activeDeadlineSeconds ?? shutdown) !== undefined;
}

/** An attempt that was never made, because its Job was refused, is not awaited. */
function cameToNothing({ isGone }: DaemonPast, job: KubeObject | undefined): boolean {
  return job === undefined || isGone(job) || conditionOf(job, 'Failed') !== undefined;
}
