/**
 * The rules of a DaemonJob for one decision: the record after it, the other writes, and the next look.
 * Start reading here; each idea has a file of its own.
 */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { frozenDaemonJobFields } from '#shared/api/daemon-job-defaults.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { msOf } from '../../model/look.ts';
import { suspensionsOf } from '../../model/suspension.ts';
import { conditionsAfter, type Findings } from '../../model/predicted-conditions.ts';
import { endFindings, findingsOf, stops } from './conditions.ts';
import { type Course, courseOf, ended, firstStart, hasStarted } from './course.ts';
import { cancels, deadlineMs, type Hold, holdOf } from './holds.ts';
import { beginsAnew, grantedRetry, ledgerOn, machineKey, wantedRetry } from './ledger.ts';
import { type DaemonLook, isDeletable, isPlainlyRunning } from './look.ts';
import { among, heldUpDueMs, type NodeState, nodeStates } from './node-states.ts';
import { type Removals, removals } from './removals.ts';
import { afterRefusals, areLeft, refusalAgainMs, startNodes } from './starting.ts';
import {
  countsOf,
  entriesOf,
  ledgerAfter,
  onRecord,
  type PredictedStatus,
} from './predicted-status.ts';

export interface Expected {
  readonly predicted: PredictedStatus;
  /** Other work waits for this record. */
  readonly isUrgent: boolean;
  /** In the order of creation. */
  readonly starts: readonly NodeState[];
  readonly stopped: readonly KubeObject[];
  readonly resumed: readonly KubeObject[];
  /** Jobs to be deleted in the foreground: their names or slots are free when their Pods are gone. */
  readonly removed: readonly KubeObject[];
  /** Nothing runs there any more. */
  readonly dropped: readonly KubeObject[];
  readonly deletesDaemonJob: boolean;
  /** When to look again even without an event, in milliseconds since the epoch. */
  readonly againAtMs: readonly (number | undefined)[];
  /** Once these nodes' Jobs are recorded, why they do not run must be checked at once. */
  readonly asksAfterRecord: boolean;
}

const nothing = {
  isUrgent: false,
  starts: [],
  stopped: [],
  resumed: [],
  removed: [],
  dropped: [],
  deletesDaemonJob: false,
  againAtMs: [],
  asksAfterRecord: false,
};

/** A deletion may fail because the DaemonJob was changed just before. Milliseconds. */
const deletionReadBackMs = 10_000;
/** Jobs that have not ended this long after the end are deleted. Milliseconds. */
const leftOverMs = 120_000;

export function expectedDecision(look: DaemonLook): Expected {
  const { daemonJob } = look;
  if (daemonJob.metadata.deletionTimestamp !== undefined) {
    return { ...nothing, predicted: { ...onRecord(daemonJob), state: 'Terminating' } };
  }
  if (!isRun(daemonJob)) return afterTheEnd(look);
  if (isChanged(look)) return atStandstill(look);
  const isStarted = daemonJob.status?.startTime !== undefined;
  if (!isStarted && hasEndlessEnd(daemonJob)) return refused(look, 'InvalidSpec');
  return whileRunning(look);
}

/** Whether its nodes and Jobs still matter. */
export function isRun(daemonJob: DaemonJob): boolean {
  const { metadata, spec, status } = daemonJob;
  if (metadata.deletionTimestamp !== undefined) return false;
  const isEnd = status?.state === 'Succeed' || status?.state === 'Failed';
  if (!isEnd) return true;
  const isNews = status.observedGeneration !== metadata.generation;
  // Before the shutdown it may have continued without a record.
  if (spec.completionPolicy === 'Never' && (spec.shutdown === undefined || isNews)) return true;
  if (status.state === 'Failed' && grantedRetry(daemonJob) !== undefined) return true;
  if (status.reason === 'Shutdown') return false;
  // A DaemonJob that never started may be corrected.
  return status.startTime === undefined && isNews;
}

function isChanged({ daemonJob, startedWith }: DaemonLook): boolean {
  if (startedWith === undefined) return false;
  return frozenDaemonJobFields.some(
    (name) =>
      daemonJob.spec[name] !== startedWith[name] &&
      JSON.stringify(daemonJob.spec[name]) !== JSON.stringify(startedWith[name]),
  );
}

function hasEndlessEnd({ spec }: DaemonJob): boolean {
  const { completionPolicy, ttlSecondsAfterFinished, activeDeadlineSeconds } = spec;
  return (
    completionPolicy === 'Never' && (ttlSecondsAfterFinished ?? activeDeadlineSeconds) !== undefined
  );
}

function whileRunning(look: DaemonLook): Expected {
  const { atMs, daemonJob, refused: refusals } = look;
  const observed = nodeStates(look, cancels(look));
  const isInvalid = [...refusals.values()].includes('Invalid');
  const isBegun = among(observed, 'Active', 'Succeeded').length > 0;
  if (isInvalid && !isBegun && daemonJob.status?.startTime === undefined) {
    return refused(look, 'InvalidJob');
  }
  const judged = afterRefusals(look, observed);
  const hold = holdOf(look, judged);
  const { nodes, starts, doubtsMs, ...others } = startNodes(look, judged, hold);
  const gone = removals(look, { nodes, ...others }, hold);
  const { lost, stopped, awaitsRecord } = gone;
  const inTheWay = others.inTheWay.filter((job) => !gone.unrecorded.includes(job));
  const going = new Set([...lost, ...stopped, ...inTheWay]);
  const staying = look.jobs.filter((job) => !going.has(job));
  const predicted = predictedOf(look, nodes, courseOf(look, nodes, hold), gone);
  // While it is held, nothing is created, so no refused create is repeated.
  const refusalMs = hold === undefined ? refusalAgainMs(look, nodes) : undefined;
  const isRefusedInPart = refusals.size > 0 && areLeft(nodes) && refusalMs === undefined;
  const isPutOff = hold === undefined && (isRefusedInPart || beginsAnew(daemonJob));
  return {
    ...nothing,
    ...suspensionsOf(daemonJob.metadata.uid, staying, stops(daemonJob)),
    predicted,
    isUrgent: awaitsRecord,
    starts,
    removed: [...stopped, ...inTheWay],
    dropped: lost,
    againAtMs: [
      ...among(nodes, 'Active').map((each) => upcoming(look, heldUpDueMs(look, each))),
      refusalMs,
      timeRuns(predicted, hold) ? deadlineMs(look) : undefined,
      ...doubtsMs,
      ...gone.doubtsMs,
      awaitsRecord || isPutOff ? atMs : undefined,
      goesMs(daemonJob, predicted),
    ],
    asksAfterRecord: nodes.some((each) => isAskedAfterRecord(look, each)),
  };
}

/** It continues, and no failed node stops it. */
function timeRuns({ state, completionTime }: PredictedStatus, hold: Hold | undefined): boolean {
  return (
    completionTime === undefined &&
    state !== 'Suspended' &&
    (hold?.isEnd !== true || hold.deletes === 'stopped')
  );
}

/** Past times need no timer. */
function upcoming({ atMs }: DaemonLook, ms: number | undefined): number | undefined {
  return ms !== undefined && ms > atMs ? ms : undefined;
}

/** This decision records it as started, and from then on its Pods may be checked. */
function isAskedAfterRecord(look: DaemonLook, { node, state, job }: NodeState): boolean {
  if (state !== 'Active' || job === undefined) return false;
  const entry = ledgerOn(look.daemonJob).get(machineKey(node.metadata.uid));
  return entry?.state !== 'Started' && isPlainlyRunning(job);
}

function predictedOf(
  look: DaemonLook,
  nodes: readonly NodeState[],
  course: Course,
  { orphaned, unrecorded }: Removals,
): PredictedStatus {
  const { daemonJob, atMs } = look;
  return {
    ...noted(daemonJob),
    ...course,
    ...(hasStarted(look, nodes) ? { startTime: firstStart(look) } : {}),
    ...ended(look, course, nodes),
    ...countsOf(nodes),
    nodes: entriesOf(look, nodes, orphaned),
    ledger: ledgerAfter(look, nodes, unrecorded),
    conditions: conditionsAfter(daemonJob.status?.conditions, atMs, {
      ...findingsOf(look, nodes, course),
      ...retryFinding(daemonJob),
    }),
  };
}

/** The end is recorded. What remains is to delete Jobs, and those that were not seen at the end. */
function afterTheEnd(look: DaemonLook): Expected {
  const { daemonJob, atMs, jobs } = look;
  const predicted = onRecord(daemonJob);
  const gone = goesMs(daemonJob, predicted);
  // A refused retry is reported before the deletion; a successful DaemonJob reports none.
  const isRefused = wantedRetry(daemonJob) !== grantedRetry(daemonJob);
  if (gone !== undefined && gone <= atMs && !isRefused) {
    return {
      ...nothing,
      predicted,
      deletesDaemonJob: true,
      againAtMs: [atMs + deletionReadBackMs],
    };
  }
  const left = jobs.filter(isDeletable);
  // This time is the API server's; the last Job has its controller's.
  const { lastUpdateTime = predicted.completionTime } = daemonJob.status ?? {};
  const endMs = Math.max(msOf(predicted.completionTime), msOf(lastUpdateTime));
  const leftMs = left.length > 0 ? endMs + leftOverMs : undefined;
  const isLeftOver = leftMs !== undefined && leftMs <= atMs;
  return {
    ...nothing,
    predicted: {
      ...predicted,
      ...noted(daemonJob),
      conditions: conditionsAfter(daemonJob.status?.conditions, atMs, retryFinding(daemonJob)),
    },
    dropped: isLeftOver ? left : [],
    againAtMs: [gone, isLeftOver ? undefined : leftMs],
  };
}

/** Its frozen spec was changed after the start: nothing starts or ends, but stopping still works. */
function atStandstill(look: DaemonLook): Expected {
  const { daemonJob, jobs, atMs } = look;
  const reason = 'SpecChanged';
  const findings: Findings = { Accepted: { isTrue: false, reason } };
  return {
    ...nothing,
    ...suspensionsOf(daemonJob.metadata.uid, jobs, stops(daemonJob)),
    predicted: {
      ...onRecord(daemonJob),
      ...generationOf(daemonJob),
      reason,
      conditions: conditionsAfter(daemonJob.status?.conditions, atMs, findings),
    },
  };
}

/** It cannot be run: it ends without a start. */
function refused(look: DaemonLook, reason: string): Expected {
  const { daemonJob, atMs } = look;
  const course: Course = { state: 'Failed', reason };
  const findings = {
    Accepted: { isTrue: false, reason },
    Blocked: { isTrue: false, reason: 'NotBlocked' },
    Suspended: { isTrue: false, reason: 'Resumed' },
    ...endFindings(course, 0),
  };
  const predicted: PredictedStatus = {
    ...noted(daemonJob),
    ...course,
    ...ended(look, course, []),
    nodes: [],
    ledger: new Map(),
    conditions: conditionsAfter(daemonJob.status?.conditions, atMs, findings),
  };
  return { ...nothing, predicted, againAtMs: [goesMs(daemonJob, predicted)] };
}

/** When the DaemonJob itself is deleted, in milliseconds since the epoch. Undefined: never. */
function goesMs({ spec }: DaemonJob, { completionTime }: PredictedStatus): number | undefined {
  const { ttlSecondsAfterFinished: seconds, completionPolicy } = spec;
  if (seconds === undefined || completionPolicy === 'Never' || completionTime === undefined) {
    return undefined;
  }
  return msOf(completionTime) + seconds * 1_000;
}

/** The observed generation and the requested manual retry. */
function noted(daemonJob: DaemonJob): Pick<PredictedStatus, 'observedGeneration' | 'retryNonce'> {
  const nonce = wantedRetry(daemonJob) ?? daemonJob.status?.retryNonce;
  return { ...generationOf(daemonJob), ...(nonce === undefined ? {} : { retryNonce: nonce }) };
}

/** The condition for each requested retry. */
function retryFinding(daemonJob: DaemonJob): Findings {
  if (wantedRetry(daemonJob) === undefined) return {};
  const isRefused = grantedRetry(daemonJob) === undefined;
  return { RetryRefused: { isTrue: isRefused, reason: isRefused ? 'Shutdown' : 'Accepted' } };
}

function generationOf({ metadata: { generation } }: DaemonJob) {
  return generation === undefined ? {} : { observedGeneration: generation };
}
