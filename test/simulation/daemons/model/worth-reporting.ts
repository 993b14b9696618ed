/**
 * Decides which changes may wait, to save requests. Progress from node to node is written once a second, or every 2 ms
 * per node if that is longer. The first and last write and every hold-up come at once.
 */
import { msOf } from '../../model/look.ts';
import type { DaemonLook } from './look.ts';
import type { PredictedEntry, PredictedStatus } from './predicted-status.ts';

const courseMs = 1_000;
const courseMsPerNode = 2;
/** While many decisions run at once. */
const busyCourseMs = 5_000;

/** When it must be written, in milliseconds since the epoch. Undefined: at once. */
export function mayWaitUntilMs(
  look: DaemonLook,
  before: PredictedStatus,
  after: PredictedStatus,
): number | undefined {
  const isCourse =
    after.state === before.state &&
    after.reason === before.reason &&
    after.observedGeneration === before.observedGeneration &&
    after.retryNonce === before.retryNonce &&
    after.completionTime === before.completionTime &&
    (after.startTime === undefined) === (before.startTime === undefined) &&
    gist(after) === gist(before);
  if (!isCourse || hasNewObstacle(before, after)) return undefined;
  const { daemonJob, nodes, noticesRemovals, isUnderLoad, atMs } = look;
  const lastMs = msOf(daemonJob.status?.lastUpdateTime);
  // An unrecorded Job could vanish unnoticed, or the clocks differ.
  if (!noticesRemovals || !(lastMs <= atMs)) return undefined;
  return lastMs + Math.max(isUnderLoad ? busyCourseMs : courseMs, nodes.length * courseMsPerNode);
}

function gist({ conditions }: PredictedStatus): string {
  const facts = Object.entries(conditions).map(([type, { isTrue, reason }]) => [
    type,
    isTrue,
    reason,
  ]);
  return JSON.stringify(facts.toSorted());
}

/** A Job that cannot be created, or whose machine is gone. */
function hasNewObstacle({ nodes: before }: PredictedStatus, { nodes }: PredictedStatus): boolean {
  const isObstacle = ({ state, reason }: PredictedEntry) =>
    state === 'Blocked' || reason === 'NodeGone';
  return nodes
    .filter(isObstacle)
    .some(
      ({ name, state }) =>
        !before.some((was) => isObstacle(was) && was.name === name && was.state === state),
    );
}
