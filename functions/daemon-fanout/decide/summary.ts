/** The state of the whole DaemonJob, computed from its nodes and never counted up. */
import { daemonJobDefaults, type DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { shutdown, shuttingDown, wasShutDown } from '#shared/domain/shutdown.ts';
import { listed } from '#shared/domain/wording.ts';
import { deadlinePassed } from '#shared/parents/active-deadline.ts';
import { desiredOf, failuresOf, inState, takenSlots, type NodeRecord } from './nodes.ts';
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
  return { state, ...noNodes(situation, state, records), ...obstacleOf(records) };
}

/** The DaemonJob ends once its Jobs have ended or are deleted. An obstacle to that is reported as well. */
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

/** The cause of an early end that is not a failed node. */
function causeOf({ reason }: Hold): string | undefined {
  return causes[reason];
}

/** Undefined: the DaemonJob continues. */
function endOf(
  situation: Situation,
  records: readonly NodeRecord[],
  hold: Hold | undefined,
): Summary | undefined {
  if (inState(records, 'Active').length > 0) return undefined;
  // An outdated view of Jobs does not revert a recorded end.
  const { state } = situation.status;
  const isOnRecord = state === 'Succeed' || state === 'Failed';
  if (!isOnRecord && takenSlots(situation, records) > 0) return undefined;
  const left = inState(records, 'Waiting', 'Cancelled');
  const cutShort = cutShortFor(hold, left);
  if (left.length > 0 && cutShort !== undefined) return cutShort;
  const failed = failuresOf(records);
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

/** No node is left to run: the earlier ones succeeded, or none is required. */
function isEmptyEnd({ daemonJob, retry }: Situation, hold: Hold | undefined): boolean {
  if (hold !== undefined) return false;
  if ([...retry.ledger.values()].some(({ state }) => state === 'Succeeded')) return true;
  return daemonJob.spec.allowEmpty ?? daemonJobDefaults.allowEmpty;
}

/** The first blocked node, else the first one that does not run. Empty: there is no obstacle. */
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

/** Empty: there are nodes. */
export function noNodes(
  { snapshot }: Situation,
  state: State,
  records: readonly NodeRecord[],
): Pick<Summary, 'reason' | 'message'> {
  if (desiredOf(records).length > 0) return {};
  const total = snapshot.nodes.length;
  const counts = Map.groupBy(records, ({ state, reason }) => reason ?? state);
  const why = [...counts].map(([reason, those]) => `${those.length} ${reason}`).sort();
  const detail = why.length === 0 ? '' : `: ${why.join(', ')}`;
  const hasEnded = state === 'Succeed' || state === 'Failed';
  const then = hasEnded ? '' : '; it starts with the first one that can run it';
  return { reason: noEligibleNodes, message: `${noneOf(total)}${detail}${then}` };
}

function noneOf(total: number): string {
  if (total === 0) return 'there is no node';
  return total === 1 ? 'the only node cannot run it' : `none of ${total} nodes can run it`;
}
