/** The state of the DaemonJob as a whole, derived from its nodes and never counted up. */
import { daemonJobDefaults, type DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { shutdown, shuttingDown, wasShutDown } from '#shared/domain/shutdown.ts';
import { listed } from '#shared/domain/wording.ts';
import { deadlinePassed } from '#shared/parents/active-deadline.ts';
import { desiredOf, inState, takenSlots, type NodeRecord } from './nodes.ts';
import { ends, type Hold } from './policies.ts';
import { hasStarted, isPaused, isSuspended, type Situation } from './situation.ts';

type State = NonNullable<DaemonJobStatus['state']>;

export interface Summary {
  readonly state: State;
  readonly reason?: string;
  readonly message?: string;
}

export function summaryOf(
  situation: Situation,
  records: readonly NodeRecord[],
  hold: Hold | undefined,
): Summary {
  const end = endOf(situation, records, hold);
  if (end !== undefined) return end;
  const waiting = inState(records, 'Waiting');
  if (hold !== undefined && causeOf(hold) !== undefined) return ending(situation, records, hold);
  const holdsBack =
    hold !== undefined && !ends(hold) && (isSuspended(situation) || waiting.length > 0);
  if (holdsBack) {
    return { state: 'Suspended', reason: hold.reason, message: hold.message };
  }
  const state = isStarted(situation, records) ? 'Running' : 'Pending';
  return { state, ...noNodes(situation, records), ...obstacleOf(records) };
}

/** What runs still ends, or is deleted; what keeps it from ending is reported as well. */
function ending(
  situation: Situation,
  records: readonly NodeRecord[],
  { reason, message }: Hold,
): Summary {
  const { message: obstacle } = obstacleOf(records);
  const state = isSuspended(situation) || isPaused(situation) ? 'Suspended' : 'Running';
  return {
    state,
    reason: reason === shutdown ? shuttingDown : reason,
    message: obstacle === undefined ? message : `${message}; ${obstacle}`,
  };
}

export function isStarted(situation: Situation, records: readonly NodeRecord[]): boolean {
  return (
    hasStarted(situation) ||
    inState(records, 'Active', 'Succeeded', 'Failed', 'Cancelled').length > 0
  );
}

const causes: Partial<Record<Hold['reason'], string>> = {
  DeadlineExceeded: deadlinePassed,
  Shutdown: wasShutDown,
};

/** What cuts it short, which no node is the cause of. */
function causeOf({ reason }: Hold): string | undefined {
  return causes[reason];
}

/** Undefined: it goes on. */
function endOf(
  situation: Situation,
  records: readonly NodeRecord[],
  hold: Hold | undefined,
): Summary | undefined {
  if (inState(records, 'Active').length > 0) return undefined;
  // A view of Jobs that is behind does not take back what is on record.
  const { state } = situation.status;
  const isOnRecord = state === 'Succeed' || state === 'Failed';
  if (!isOnRecord && takenSlots(situation, records) > 0) return undefined;
  const left = inState(records, 'Waiting', 'Cancelled');
  const cutShort = cutShortFor(hold, left);
  if (left.length > 0 && cutShort !== undefined) return cutShort;
  const failed = inState(records, 'Failed', 'Cancelled');
  if (!ends(hold) && inState(records, 'Waiting').length > 0) return undefined;
  if (failed.length > 0) return failure(failed);
  if (desiredOf(records).length > 0) return { state: 'Succeed' };
  if (isEmptyEnd(situation, cutShort === undefined ? hold : undefined)) return { state: 'Succeed' };
  return cutShort;
}

function cutShortFor(hold: Hold | undefined, left: readonly NodeRecord[]): Summary | undefined {
  const cause = hold && causeOf(hold);
  if (hold === undefined || cause === undefined) return undefined;
  const before =
    left.length === 0
      ? 'any node could run it'
      : `it had succeeded on these nodes: ${listed(left.map(({ node }) => node.name))}`;
  return { state: 'Failed', reason: hold.reason, message: `${cause} before ${before}` };
}

function failure(failed: readonly NodeRecord[]): Summary {
  const [first] = failed;
  const names = listed(failed.map(({ node }) => node.name));
  const why = [first?.reason, first?.message].filter((word) => word !== undefined).join(': ');
  const message = why === '' ? `failed: ${names}` : `failed: ${names} (${why})`;
  return { state: 'Failed', reason: 'NodeFailed', message };
}

/** No node is left that is to run it: what ran before has succeeded, or nothing had to. */
function isEmptyEnd({ daemonJob, retry }: Situation, hold: Hold | undefined): boolean {
  if (hold !== undefined) return false;
  if ([...retry.ledger.values()].some(({ state }) => state === 'Succeeded')) return true;
  return daemonJob.spec.allowEmpty ?? daemonJobDefaults.allowEmpty;
}

/** What holds it up, if anything does: the first node that is blocked, else that does not run. */
function obstacleOf(records: readonly NodeRecord[]): Pick<Summary, 'reason' | 'message'> {
  const held =
    records.find(({ state, isBlocked }) => state === 'Waiting' && isBlocked === true) ??
    records.find(({ state, reason }) => state === 'Active' && reason !== undefined);
  if (held?.reason === undefined) return {};
  return {
    reason: held.reason,
    message: `node ${held.node.name}: ${held.message ?? held.reason}`,
  };
}

export const noEligibleNodes = 'NoEligibleNodes';

/** Undefined members: there are some. */
export function noNodes(
  { snapshot }: Situation,
  records: readonly NodeRecord[],
): Pick<Summary, 'reason' | 'message'> {
  if (desiredOf(records).length > 0) return {};
  const total = snapshot.nodes.length;
  const counts = Map.groupBy(records, ({ state, reason }) => reason ?? state);
  const why = [...counts].map(([reason, those]) => `${those.length} ${reason}`).sort();
  const detail = why.length === 0 ? '' : `: ${why.join(', ')}`;
  return {
    reason: noEligibleNodes,
    message: `none of ${total} nodes can run it${detail}; it starts with the first one that can`,
  };
}
