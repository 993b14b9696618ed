/** The state of the whole flow, computed from its steps and never counted up (rules 12 and 21). */
import type { FlowState } from '#shared/api/job-flow-status.ts';
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import { noPlace } from '#shared/api/step-records.ts';
import { wasShutDown } from '#shared/domain/shutdown.ts';
import { deadlinePassed } from '#shared/parents/active-deadline.ts';
import { cutShortBy } from './early-end.ts';
import { isGate, isHeldUp, isOnItsWay, isOver, listed } from './record.ts';
import { failuresOf } from './removal.ts';

export type Summary = Failure | Other;

interface Failure extends Obstacle {
  readonly state: 'Failed';
}

interface Other extends Partial<Obstacle> {
  readonly state: Exclude<FlowState, 'Failed'>;
}

export interface Obstacle {
  readonly reason: string;
  readonly message: string;
}

/** All steps are over: the flow succeeded, or failed because a step did not. Undefined: the flow continues. */
export function endOf(records: readonly StepRecord[]): Summary | undefined {
  if (!records.every(({ state }) => isOver(state))) return undefined;
  const cause = cutShortBy(records);
  if (cause !== undefined) return cutShort(cause, records);
  const failed = failuresOf(records);
  const [first] = failed;
  if (first !== undefined) {
    const names = listed(failed.map(({ name }) => name));
    const why = `${first.reason ?? 'Failed'}: ${first.message ?? ''}`;
    return { state: 'Failed', reason: 'StepFailed', message: `failed: ${names} (${why})` };
  }
  const isComplete = records.every(({ state }) => state === 'Succeed');
  return isComplete
    ? { state: 'Succeed' }
    : {
        state: 'Failed',
        reason: 'StepSkipped',
        message: 'steps were skipped although none failed',
      };
}

const ends = {
  FlowDeadlineExceeded: deadlinePassed,
  Shutdown: wasShutDown,
} as const;

function cutShort(reason: keyof typeof ends, records: readonly StepRecord[]): Failure {
  const left = records.filter(({ state }) => state !== 'Succeed').map(({ name }) => name);
  const message = `${ends[reason]} before these steps had succeeded: ${listed(left)}`;
  return { state: 'Failed', reason, message };
}

/** The first step with a problem. Steps that cannot continue by themselves come first. */
export function obstacleOf(records: readonly StepRecord[]): Obstacle | undefined {
  const held =
    records.find(({ state }) => state === 'Blocked') ??
    records.find(isHeldUp) ??
    records.find(isGate);
  if (held !== undefined) return obstacleAt(held);
  const places = waitForPlaces(records);
  if (places !== undefined) return places;
  const waiting = records.find(isRetryWait) ?? records.find(({ reason }) => reason === pending);
  return waiting === undefined ? endingOf(records) : obstacleAt(waiting);
}

/** The first step whose Pods still terminate. Reported without an Event, since this usually passes. */
export function endingOf(records: readonly StepRecord[]): Obstacle | undefined {
  const ending = records.find(isOnItsWay);
  return ending === undefined ? undefined : obstacleAt(ending);
}

function obstacleAt({ name, reason, message, nextRetryTime }: StepRecord): Obstacle {
  const until = nextRetryTime === undefined ? '' : ` until ${nextRetryTime}`;
  return {
    reason: reason ?? 'Blocked',
    message: `step ${name}${until}: ${message ?? 'blocked'}`,
  };
}

/** The step waits because the template of another step is missing. */
const pending = 'TemplatesPending';

function isRetryWait({ state, nextRetryTime }: StepRecord): boolean {
  return state === 'Waiting' && nextRetryTime !== undefined;
}

/** Names no steps: otherwise every start would change the message of the flow. */
function waitForPlaces(records: readonly StepRecord[]): Obstacle | undefined {
  if (!records.some(({ reason }) => reason === noPlace)) return undefined;
  return {
    reason: noPlace,
    message: 'steps that could start wait for a place: as many run as spec.parallelism allows',
  };
}

type Counts = Required<
  Pick<JobFlowStatus, 'progress' | 'running' | 'failed' | 'suspended' | 'total'>
>;

/** `running` counts steps that have a Job which is neither finished nor suspended. */
export function countsOf(records: readonly StepRecord[]): Counts {
  const count = (...states: readonly string[]) =>
    records.filter(({ state }) => states.includes(state)).length;
  return {
    progress: `${count('Succeed')}/${records.length}`,
    running: count('Pending', 'Running'),
    failed: count('Failed'),
    suspended: count('Suspended'),
    total: records.length,
  };
}

/** When the last step ended, independent of when that was noticed. */
export function lastCompletion(records: readonly StepRecord[]): string | undefined {
  const times = records.flatMap(({ completionTime }) => completionTime ?? []);
  return times.toSorted().at(-1);
}
