/**
 * What the rules of a DaemonJob demand of one decision: what is to be on record after it, what is to be
 * written besides, and when to look again. Read it from here: each idea has a file of its own.
 */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { frozenDaemonJobFields } from '#shared/api/daemon-job-defaults.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { msOf } from '../../model/look.ts';
import { suspensionsOf } from '../../model/suspension.ts';
import { conditionsAfter, type Findings } from '../../model/told-conditions.ts';
import { endFindings, findingsOf, stops } from './conditions.ts';
import { type Course, courseOf, ended, firstStart, hasStarted } from './course.ts';
import { cancels, deadlineMs, type Hold, holdOf } from './holds.ts';
import { beginsAnew, grantedRetry, ledgerOn, machineKey, wantedRetry } from './ledger.ts';
import { type DaemonLook, isDeletable, isPlainlyRunning } from './look.ts';
import { among, heldUpDueMs, type NodeState, nodeStates } from './node-states.ts';
import { type Removals, removals } from './removals.ts';
import { afterRefusals, areLeft, refusalAgainMs, startNodes } from './starting.ts';
import { countsOf, entriesOf, ledgerAfter, onRecord, type ToldStatus } from './told-status.ts';

export interface Expected {
  readonly told: ToldStatus;
  /** Something waits for it to be on record. */
  readonly isUrgent: boolean;
  /** In the order in which they are created. */
  readonly starts: readonly NodeState[];
  readonly stopped: readonly KubeObject[];
  readonly resumed: readonly KubeObject[];
  /** Their names, or their slots, are free when their Pods are gone. */
  readonly removed: readonly KubeObject[];
  /** Nothing runs there any more. */
  readonly dropped: readonly KubeObject[];
  readonly deletesDaemonJob: boolean;
  /** When to look again although nothing happens, milliseconds since the epoch. */
  readonly againAtMs: readonly (number | undefined)[];
  /** Nodes whose Job, once it is on record, is asked at once why it does not run. */
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

/** A deletion may have met a DaemonJob that somebody had just changed, milliseconds. */
const deletionReadBackMs = 10_000;
/** What has not ended so long after the end is left over, milliseconds. */
const leftOverMs = 120_000;

export function expectedDecision(look: DaemonLook): Expected {
  const { daemonJob } = look;
  if (daemonJob.metadata.deletionTimestamp !== undefined) {
    return { ...nothing, told: { ...onRecord(daemonJob), state: 'Terminating' } };
  }
  if (!isRun(daemonJob)) return afterTheEnd(look);
  if (isChanged(look)) return atStandstill(look);
  const isStarted = daemonJob.status?.startTime !== undefined;
  if (!isStarted && hasEndlessEnd(daemonJob)) return refused(look, 'InvalidSpec');
  return whileRunning(look);
}

/** Whether its nodes and Jobs matter still. */
export function isRun(daemonJob: DaemonJob): boolean {
  const { metadata, spec, status } = daemonJob;
  if (metadata.deletionTimestamp !== undefined) return false;
  const isEnd = status?.state === 'Succeed' || status?.state === 'Failed';
  if (!isEnd || (spec.completionPolicy === 'Never' && spec.shutdown === undefined)) return true;
  if (status.state === 'Failed' && grantedRetry(daemonJob) !== undefined) return true;
  if (status.reason === 'Shutdown') return false;
  // What never started may be corrected.
  return status.startTime === undefined && status.observedGeneration !== metadata.generation;
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
  const inTheWay = others.inTheWay.filter((job) => !gone.untold.includes(job));
  const going = new Set([...lost, ...stopped, ...inTheWay]);
  const staying = look.jobs.filter((job) => !going.has(job));
  const told = toldOf(look, nodes, courseOf(look, nodes, hold), gone);
  // While it is held back nothing is created, whatever is allowed.
  const refusalMs = hold === undefined ? refusalAgainMs(look, nodes) : undefined;
  const isRefusedInPart = refusals.size > 0 && areLeft(nodes) && refusalMs === undefined;
  const isPutOff = hold === undefined && (isRefusedInPart || beginsAnew(daemonJob));
  return {
    ...nothing,
    ...suspensionsOf(daemonJob.metadata.uid, staying, stops(daemonJob)),
    told,
    isUrgent: awaitsRecord,
    starts,
    removed: [...stopped, ...inTheWay],
    dropped: lost,
    againAtMs: [
      ...among(nodes, 'Active').map((each) => upcoming(look, heldUpDueMs(look, each))),
      refusalMs,
      timeRuns(told, hold) ? deadlineMs(look) : undefined,
      ...doubtsMs,
      ...gone.doubtsMs,
      awaitsRecord || isPutOff ? atMs : undefined,
      goesMs(daemonJob, told),
    ],
    asksAfterRecord: nodes.some((each) => isAskedAfterRecord(look, each)),
  };
}

/** It goes on, and is not held up by a failed node. */
function timeRuns({ state, completionTime }: ToldStatus, hold: Hold | undefined): boolean {
  return (
    completionTime === undefined &&
    state !== 'Suspended' &&
    (hold?.isEnd !== true || hold.deletes === 'stopped')
  );
}

/** What was due before needs no clock any more. */
function upcoming({ atMs }: DaemonLook, ms: number | undefined): number | undefined {
  return ms !== undefined && ms > atMs ? ms : undefined;
}

/** It comes on record as started with this decision, and why it does not run can be asked from then on. */
function isAskedAfterRecord(look: DaemonLook, { node, state, job }: NodeState): boolean {
  if (state !== 'Active' || job === undefined) return false;
  const entry = ledgerOn(look.daemonJob).get(machineKey(node.metadata.uid));
  return entry?.state !== 'Started' && isPlainlyRunning(job);
}

function toldOf(
  look: DaemonLook,
  nodes: readonly NodeState[],
  course: Course,
  { orphaned, untold }: Removals,
): ToldStatus {
  const { daemonJob, atMs } = look;
  return {
    ...noted(daemonJob),
    ...course,
    ...(hasStarted(look, nodes) ? { startTime: firstStart(look) } : {}),
    ...ended(look, course, nodes),
    ...countsOf(nodes),
    nodes: entriesOf(look, nodes, orphaned),
    ledger: ledgerAfter(look, nodes, untold),
    conditions: conditionsAfter(daemonJob.status?.conditions, atMs, {
      ...findingsOf(look, nodes, course),
      ...retryFinding(daemonJob),
    }),
  };
}

/** The end is on record: what is left is to remove what may go, and what nobody saw at the end. */
function afterTheEnd(look: DaemonLook): Expected {
  const { daemonJob, atMs, jobs } = look;
  const told = onRecord(daemonJob);
  const gone = goesMs(daemonJob, told);
  // A retry that is refused is told first; of one that succeeded none is.
  const isRefused = wantedRetry(daemonJob) !== grantedRetry(daemonJob);
  if (gone !== undefined && gone <= atMs && !isRefused) {
    return { ...nothing, told, deletesDaemonJob: true, againAtMs: [atMs + deletionReadBackMs] };
  }
  const left = jobs.filter(isDeletable);
  // It was written at the time of the API server; the last Job has the time of its controller.
  const { lastUpdateTime = told.completionTime } = daemonJob.status ?? {};
  const endMs = Math.max(msOf(told.completionTime), msOf(lastUpdateTime));
  const leftMs = left.length > 0 ? endMs + leftOverMs : undefined;
  const isLeftOver = leftMs !== undefined && leftMs <= atMs;
  return {
    ...nothing,
    told: {
      ...told,
      ...noted(daemonJob),
      conditions: conditionsAfter(daemonJob.status?.conditions, atMs, retryFinding(daemonJob)),
    },
    dropped: isLeftOver ? left : [],
    againAtMs: [gone, isLeftOver ? undefined : leftMs],
  };
}

/** What runs was changed after the start: nothing starts or ends, and stopping still works. */
function atStandstill(look: DaemonLook): Expected {
  const { daemonJob, jobs, atMs } = look;
  const reason = 'SpecChanged';
  const findings: Findings = { Accepted: { isTrue: false, reason } };
  return {
    ...nothing,
    ...suspensionsOf(daemonJob.metadata.uid, jobs, stops(daemonJob)),
    told: {
      ...onRecord(daemonJob),
      ...generationOf(daemonJob),
      reason,
      conditions: conditionsAfter(daemonJob.status?.conditions, atMs, findings),
    },
  };
}

/** It cannot be run on any node: it ends without a start. */
function refused(look: DaemonLook, reason: string): Expected {
  const { daemonJob, atMs } = look;
  const course: Course = { state: 'Failed', reason };
  const findings = { Accepted: { isTrue: false, reason }, ...endFindings(course, 0) };
  const told: ToldStatus = {
    ...noted(daemonJob),
    ...course,
    ...ended(look, course, []),
    nodes: [],
    ledger: new Map(),
    conditions: conditionsAfter(daemonJob.status?.conditions, atMs, findings),
  };
  return { ...nothing, told, againAtMs: [goesMs(daemonJob, told)] };
}

/** When the DaemonJob itself goes, milliseconds since the epoch; undefined: never. */
function goesMs({ spec }: DaemonJob, { completionTime }: ToldStatus): number | undefined {
  const { ttlSecondsAfterFinished: seconds, completionPolicy } = spec;
  if (seconds === undefined || completionPolicy === 'Never' || completionTime === undefined) {
    return undefined;
  }
  return msOf(completionTime) + seconds * 1_000;
}

/** What was taken note of: the generation, and a retry that is asked for by hand. */
function noted(daemonJob: DaemonJob): Pick<ToldStatus, 'observedGeneration' | 'retryNonce'> {
  const nonce = wantedRetry(daemonJob) ?? daemonJob.status?.retryNonce;
  return { ...generationOf(daemonJob), ...(nonce === undefined ? {} : { retryNonce: nonce }) };
}

/** Said of each retry that is asked for. */
function retryFinding(daemonJob: DaemonJob): Findings {
  if (wantedRetry(daemonJob) === undefined) return {};
  const isRefused = grantedRetry(daemonJob) === undefined;
  return { RetryRefused: { isTrue: isRefused, reason: isRefused ? 'Shutdown' : 'Accepted' } };
}

function generationOf({ metadata: { generation } }: DaemonJob) {
  return generation === undefined ? {} : { observedGeneration: generation };
}
