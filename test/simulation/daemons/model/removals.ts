/** Jobs to be deleted: of removed machines, of excluded nodes, and all of them at the end. */
import type { KubeObject } from '#shared/domain/objects.ts';
import { isEndingLate } from '../../model/deadline.ts';
import { jobParts } from '../../model/job-fate.ts';
import type { Hold } from './holds.ts';
import { type Ledger, ledgerOn, machineKey } from './ledger.ts';
import { attemptOn, type DaemonLook, isDeletable, isRunning, machineOf, nodeOf } from './look.ts';
import { among, type NodeState } from './node-states.ts';
import { mayBeThereUntilMs, type Started } from './starting.ts';

export interface Removals {
  /** Their machine is gone, so nothing runs there any more. */
  readonly lost: readonly KubeObject[];
  /** Jobs that must be recorded before they are deleted. */
  readonly unrecorded: readonly KubeObject[];
  /** They run where they should not. The slot is free when their Pods are gone. */
  readonly stopped: readonly KubeObject[];
  /** Running Jobs of removed machines, including those being deleted. */
  readonly orphaned: readonly KubeObject[];
  /** The visible nodes may be outdated: until when machines may exist that are not visible. */
  readonly doubtsMs: readonly number[];
  /** Some unrecorded Jobs run; deleting them would remove the only trace. */
  readonly awaitsRecord: boolean;
}

export function removals(
  look: DaemonLook,
  { nodes, inTheWay }: Pick<Started, 'nodes' | 'inTheWay'>,
  hold: Hold | undefined,
): Removals {
  const lonely = look.jobs.filter((job) => isRunning(job) && isOfMissing(look, job));
  const doubtMs = (job: KubeObject): number | undefined => {
    const successor = look.nodes.find(({ metadata }) => metadata.name === nodeOf(job));
    return mayBeThereUntilMs(look, successor, job);
  };
  const orphaned = lonely.filter((job) => doubtMs(job) === undefined);
  const excluded = [
    ...among(nodes, 'Excluded'),
    ...among(nodes, 'Waiting').filter(({ reason }) => reason === 'Leaving'),
  ].flatMap(({ job }) => job ?? []);
  const isStopped = ({ job }: NodeState): boolean =>
    job !== undefined && jobParts(job).spec.suspend === true;
  const running = among(nodes, 'Active').filter(
    (each) => hold?.isEnd === true && (hold.deletes === undefined || isStopped(each)),
  );
  const ledger = ledgerOn(look.daemonJob);
  const known = running.filter(
    ({ node }) => ledger.get(machineKey(node.metadata.uid))?.state === 'Started',
  );
  // The passed deadline is recorded first, so that a suspension in between does not revert it.
  const isLate = hold?.reason === 'DeadlineExceeded' && !isEndingLate(look.daemonJob.status);
  const ended = isLate ? [] : known;
  const leaving = orphaned.filter(isDeletable);
  const going = new Set([...leaving, ...inTheWay, ...excluded.filter(isDeletable)]);
  const isUnrecorded = (job: KubeObject): boolean =>
    !isShown(ledger, job) || (excluded.includes(job) && !isRetired(ledger, job));
  const unrecorded = [...going].filter(isUnrecorded);
  return {
    lost: leaving.filter((job) => isShown(ledger, job)),
    unrecorded,
    stopped: [...excluded, ...ended.flatMap(({ job }) => job ?? [])].filter(
      (job) => isDeletable(job) && !unrecorded.includes(job),
    ),
    orphaned,
    doubtsMs: lonely.flatMap((job) => doubtMs(job) ?? []),
    awaitsRecord: ended.length < running.length || unrecorded.length > 0,
  };
}

/** Its attempt is recorded, so it is not repeated if the machine still exists. */
function isShown(ledger: Ledger, job: KubeObject): boolean {
  const entry = ledger.get(machineKey(machineOf(job) ?? ''));
  if (entry === undefined || entry.attempt < attemptOn(job)) return false;
  return entry.state !== 'Retrying' || entry.attempt > attemptOn(job);
}

/** An exclusion may be lifted at once. Then its Job counts as deleted by a user, unless the record says otherwise. */
function isRetired(ledger: Ledger, job: KubeObject): boolean {
  const entry = ledger.get(machineKey(machineOf(job) ?? ''));
  return entry?.attempt !== attemptOn(job) || entry.state === 'Retired';
}

function isOfMissing({ nodes }: DaemonLook, job: KubeObject): boolean {
  const machine = machineOf(job);
  if (machine === undefined || nodeOf(job) === undefined) return false;
  return nodes.every(({ metadata }) => metadata.uid !== machine);
}
