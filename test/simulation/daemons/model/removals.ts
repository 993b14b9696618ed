/** Jobs that are deleted: of machines that are gone, of excluded nodes, and of all when it is over. */
import type { KubeObject } from '#shared/domain/objects.ts';
import { isEndingLate } from '../../model/deadline.ts';
import { jobParts } from '../../model/job-fate.ts';
import type { Hold } from './holds.ts';
import { type Ledger, ledgerOn, machineKey } from './ledger.ts';
import { attemptOn, type DaemonLook, isDeletable, isRunning, machineOf, nodeOf } from './look.ts';
import { among, type NodeState } from './node-states.ts';
import { mayBeThereUntilMs, type Started } from './starting.ts';

export interface Removals {
  /** Their machine is gone: nothing runs there any more. */
  readonly lost: readonly KubeObject[];
  /** Those that the record does not tell of: it has to, before they go. */
  readonly untold: readonly KubeObject[];
  /** They run where they should not: the slot is free when their Pods are gone. */
  readonly stopped: readonly KubeObject[];
  /** Running Jobs of machines that are gone, those that are being deleted as well. */
  readonly orphaned: readonly KubeObject[];
  /** The nodes in sight may be behind: until when machines of others may be there. */
  readonly doubtsMs: readonly number[];
  /** Some run that the record does not tell of: with their Jobs the only trace would go. */
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
  // That its time was up is on record first: a suspension in between does not take it back.
  const isLate = hold?.reason === 'DeadlineExceeded' && !isEndingLate(look.daemonJob.status);
  const ended = isLate ? [] : known;
  const leaving = orphaned.filter(isDeletable);
  const going = new Set([...leaving, ...inTheWay, ...excluded.filter(isDeletable)]);
  const isUntold = (job: KubeObject): boolean =>
    !isTold(ledger, job) || (excluded.includes(job) && !isRetired(ledger, job));
  const untold = [...going].filter(isUntold);
  return {
    lost: leaving.filter((job) => isTold(ledger, job)),
    untold,
    stopped: [...excluded, ...ended.flatMap(({ job }) => job ?? [])].filter(
      (job) => isDeletable(job) && !untold.includes(job),
    ),
    orphaned,
    doubtsMs: lonely.flatMap((job) => doubtMs(job) ?? []),
    awaitsRecord: ended.length < running.length || untold.length > 0,
  };
}

/** Its attempt has begun, as the record says: that of a machine which is there after all is not made again. */
function isTold(ledger: Ledger, job: KubeObject): boolean {
  const entry = ledger.get(machineKey(machineOf(job) ?? ''));
  if (entry === undefined || entry.attempt < attemptOn(job)) return false;
  return entry.state !== 'Retrying' || entry.attempt > attemptOn(job);
}

/** An exclusion may be lifted at once: then its Job counts as deleted by a user, unless the record says otherwise. */
function isRetired(ledger: Ledger, job: KubeObject): boolean {
  const entry = ledger.get(machineKey(machineOf(job) ?? ''));
  return entry?.attempt !== attemptOn(job) || entry.state === 'Retired';
}

function isOfMissing({ nodes }: DaemonLook, job: KubeObject): boolean {
  const machine = machineOf(job);
  if (machine === undefined || nodeOf(job) === undefined) return false;
  return nodes.every(({ metadata }) => metadata.uid !== machine);
}
