/**
 * The records of all steps in a status, in either of two forms.
 *
 * A flow of at most {@link wholeListSteps} steps has an entry for each step in `jobStatusList`, in the
 * order of `spec.flows`. A longer one lists only steps with something to report. The others are in
 * `stepStates`: from a state, with attempt and reason if any (`Failed/1/DeadlineExceeded`), to positions as
 * ranges (`0-41,43`). This is the form of `completedIndexes` of an Indexed Job. A position counts the
 * sorted names, because the order of steps in a spec may change at any time. A step in neither form waits
 * for its dependencies. So the status of a flow grows with what is running and not with what is over.
 */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { childJobName } from '#shared/domain/names.ts';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import {
  type JobFlowStatus,
  type StepRecord,
  type StepState,
  stepStates,
} from './job-flow-status.ts';
import type { FlowStep } from './step.ts';

/** Up to this number each step has an entry of its own; in a longer flow at most this many have one. */
export const wholeListSteps = 200;

/** Whether such a flow's status has only positions for most steps. */
export function isLong({ length }: readonly FlowStep[]): boolean {
  return length > wholeListSteps;
}

type Named = Pick<ObjectMeta, 'name'>;
type StepStates = Readonly<Record<string, string>>;

/** The status with an entry for each step; the same object if it has them already. */
export function withAllRecords(
  { name }: Named,
  flows: readonly FlowStep[],
  status: JobFlowStatus,
): JobFlowStatus {
  const { jobStatusList, stepStates } = status;
  if (!isLong(flows) || jobStatusList === undefined) return status;
  const known = expanded.get(status);
  if (known !== undefined) return known;
  const listed = new Map(jobStatusList.map((record) => [record.name, record]));
  const states = statesByPosition(stepStates ?? {});
  const positions = positionsOf(flows);
  const records = flows.map((step): StepRecord => {
    const record = listed.get(step.name) ?? states.get(positions.get(step.name) ?? -1)?.(step.name);
    return record === undefined ? { name: step.name, state: 'Waiting' } : withJobName(name, record);
  });
  const whole = { ...status, jobStatusList: records };
  expanded.set(status, whole);
  return whole;
}

/** A view returns the same object until it changes, and many decisions read it in between. */
const expanded = new WeakMap<JobFlowStatus, JobFlowStatus>();

/** The position of each name among the sorted names. */
function positionsOf(flows: readonly FlowStep[]): ReadonlyMap<string, number> {
  let known = knownPositions.get(flows);
  if (known === undefined) {
    const names = flows.map(({ name }) => name).sort(compareTexts);
    known = new Map(names.map((name, position) => [name, position]));
    knownPositions.set(flows, known);
  }
  return known;
}

const knownPositions = new WeakMap<readonly FlowStep[], ReadonlyMap<string, number>>();

function ascending(positions: readonly number[]): readonly number[] {
  return [...positions].sort((left, right) => left - right);
}

/** The stored form. `status` has an entry for each step, or none at all. */
export function asStored(flows: readonly FlowStep[], status: JobFlowStatus): JobFlowStatus {
  const { jobStatusList: records } = status;
  if (!isLong(flows) || records === undefined) return status;
  const whole = wholeEntries(records);
  const known = positionsOf(flows);
  const positions = new Map<string, number[]>();
  const list: StepRecord[] = [];
  for (const record of records) {
    const position = known.get(record.name) ?? -1;
    if (whole.has(record)) list.push(record);
    else if (record.nextRetryTime !== undefined) list.push(short(record));
    else if (!isPlain(record)) {
      const key = keyOf(record);
      const others = positions.get(key);
      if (others === undefined) positions.set(key, [position]);
      else others.push(position);
    }
  }
  const states = [...positions].map(([key, each]) => [key, rangesOf(ascending(each))] as const);
  return {
    ...status,
    jobStatusList: list,
    ...(states.length === 0 ? {} : { stepStates: Object.fromEntries(states) }),
  };
}

/** Reason of a step that waits for a free place (`spec.parallelism`). */
export const noPlace = 'ParallelismReached';

/** Only its state is worth recording. */
function isUnlisted(record: StepRecord): boolean {
  return isPlain(record) || isPlainEnd(record) || isWithoutPlace(record);
}

function isWithoutPlace({ state, attempt, reason }: StepRecord): boolean {
  return state === 'Waiting' && (attempt ?? 0) === 0 && reason === noPlace;
}

/** It waits for its dependencies, as every step does at first. A long flow does not record that. */
export function isPlain({ state, attempt, reason, nextRetryTime }: StepRecord): boolean {
  const isOrdinary =
    reason === undefined || reason === 'DependenciesPending' || reason === 'FlowSuspended';
  return state === 'Waiting' && (attempt ?? 0) === 0 && isOrdinary && nextRetryTime === undefined;
}

function isPlainEnd({ state, attempt }: StepRecord): boolean {
  return state === 'Skipped' || (state === 'Succeed' && (attempt ?? 0) === 0);
}

/** First steps that need an explanation, then running ones, each in the order of the flow. */
function wholeEntries(records: readonly StepRecord[]): ReadonlySet<StepRecord> {
  const open = records.filter((record) => !isUnlisted(record));
  const first = open.filter(({ reason }) => reason !== undefined);
  const then = open.filter(({ reason }) => reason === undefined);
  return new Set([...first, ...then].slice(0, wholeListSteps));
}

function short({ name, state, attempt, reason, nextRetryTime }: StepRecord): StepRecord {
  return {
    name,
    state,
    ...(attempt === undefined ? {} : { attempt }),
    ...(reason === undefined ? {} : { reason }),
    ...(nextRetryTime === undefined ? {} : { nextRetryTime }),
  };
}

function keyOf({ state, attempt = 0, reason }: StepRecord): string {
  if (reason !== undefined) return `${state}/${attempt}/${reason}`;
  return attempt === 0 ? state : `${state}/${attempt}`;
}

function statesByPosition(written: StepStates): ReadonlyMap<number, (name: string) => StepRecord> {
  const states = new Map<number, (name: string) => StepRecord>();
  for (const [key, ranges] of Object.entries(written)) {
    const record = recordOf(key);
    if (record === undefined) continue;
    for (const position of positionsIn(ranges)) states.set(position, record);
  }
  return states;
}

/** Undefined: another version wrote it. */
function recordOf(key: string): ((name: string) => StepRecord) | undefined {
  const [state = '', attempt = '0', reason] = key.split('/');
  if (!isState(state)) return undefined;
  return (name) => ({
    name,
    state,
    ...(Number(attempt) > 0 ? { attempt: Number(attempt) } : {}),
    ...(reason === undefined ? {} : { reason }),
  });
}

function isState(text: string): text is StepState {
  return (stepStates as readonly string[]).includes(text);
}

/** `positions` ascend. */
function rangesOf(positions: readonly number[]): string {
  const ranges: string[] = [];
  let first: number | undefined;
  for (const [index, position] of positions.entries()) {
    first ??= position;
    if (positions[index + 1] === position + 1) continue;
    ranges.push(first === position ? String(position) : `${first}-${position}`);
    first = undefined;
  }
  return ranges.join(',');
}

const oneRange = /^(\d{1,4})(?:-(\d{1,4}))?$/;

/** Invalid ranges are skipped: the Jobs show those steps. */
function* positionsIn(ranges: string): Iterable<number> {
  for (const text of ranges.split(',')) {
    const [, first, last = first] = oneRange.exec(text) ?? [];
    for (let position = Number(first); position <= Number(last); position += 1) yield position;
  }
}

const withJob: ReadonlySet<StepState> = new Set(['Pending', 'Running', 'Suspended']);

function withJobName(flow: string, record: StepRecord): StepRecord {
  const { name, state, attempt, jobName } = record;
  if (jobName !== undefined || !withJob.has(state)) return record;
  return { ...record, jobName: childJobName(flow, name, attempt ?? 0) };
}
